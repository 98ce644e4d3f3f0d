package web

import (
	"bytes"
	"encoding/xml"
	"net/http"
)

// description is the part of OpenSearch 1.1 that browsers read.
type description struct {
	XMLName  xml.Name     `xml:"http://a9.com/-/spec/opensearch/1.1/ OpenSearchDescription"`
	Short    string       `xml:"ShortName"` // at most 16 characters
	About    string       `xml:"Description"`
	Encoding string       `xml:"InputEncoding"`
	Image    image        `xml:"Image"`
	URLs     []searchLink `xml:"Url"`
}

type image struct {
	Type    string `xml:"type,attr"`
	Address string `xml:",chardata"`
}

type searchLink struct {
	Type     string `xml:"type,attr"`
	Template string `xml:"template,attr"`
}

func (p *searchPages) openSearch(w http.ResponseWriter, r *http.Request) error {
	base := base(r)
	var b bytes.Buffer
	b.WriteString(xml.Header)
	if err := xml.NewEncoder(&b).Encode(description{
		Short: "millrace", About: "Search what millrace has crawled", Encoding: "UTF-8",
		Image: image{"image/svg+xml", base + "/assets/icon.svg"},
		URLs: []searchLink{
			{"text/html", base + "/?q={searchTerms}"},
			{"application/json", base + "/api/v1/search?q={searchTerms}"},
			{"application/rss+xml", base + "/rss?q={searchTerms}"},
		},
	}); err != nil {
		return err
	}
	send(w, http.StatusOK, "application/opensearchdescription+xml", b.Bytes())
	return nil
}

func (f *files) robots(w http.ResponseWriter, _ *http.Request) error {
	text(w, http.StatusOK, "User-agent: *\nDisallow: /")
	return nil
}
