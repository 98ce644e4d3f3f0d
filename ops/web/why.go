package web

import "net/http"

// whyView is the data of the page with the story of a URL.
type whyView struct {
	URL     string
	Link    string
	Story   *Story
	Failure string
}

// Title is the title of the page.
func (v *whyView) Title() string { return "Why" }

// storyPages serve the story of a URL, as a page and as JSON.
type storyPages struct {
	*answers
	deps Deps
}

func (p *storyPages) story(r *http.Request, u string) (Story, error) {
	if p.deps.Why == nil {
		return Story{}, absent("store")
	}
	story, err := p.deps.Why(r.Context(), u)
	if story.Sections == nil {
		story.Sections = []Section{}
	}
	return story, err
}

func (p *storyPages) answerJSON(w http.ResponseWriter, r *http.Request) error {
	u, err := address(r)
	if err != nil {
		return err
	}
	if u == "" {
		return refuse(http.StatusBadRequest, "url is missing: whose story")
	}
	story, err := p.story(r, u)
	if err != nil {
		return err
	}
	p.writeJSON(w, http.StatusOK, story)
	return nil
}

func (p *storyPages) page(w http.ResponseWriter, r *http.Request) error {
	u, err := address(r)
	v, status := &whyView{URL: u}, http.StatusOK
	if err == nil && u != "" {
		var story Story
		if story, err = p.story(r, u); err == nil {
			v.Story = &story
			v.Link, _ = shown(story.URL)
		}
	}
	if err != nil {
		status, v.Failure = p.failure("story failed", err)
	}
	p.writePage(w, status, "why", v)
	return nil
}
