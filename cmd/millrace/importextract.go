package main

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"millrace/consumers/rules"
	"millrace/ops/web"
)

// extractRules reads a file of --rules: each rule of a domain becomes one of its site, or its host.
func extractRules(text []byte) (imported, error) {
	var list []yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&list); err != nil && !errors.Is(err, io.EOF) {
		return imported{}, err
	}
	var out imported
	for _, n := range list {
		domain, body, err := takeDomain(&n)
		if err != nil {
			out.Left = append(out.Left, leftOutLine{n.Line, domain, err.Error()})
			continue
		}
		in := scopeNamed(domain)
		if _, err := rules.Parse("extract "+body, in); err != nil {
			out.Left = append(out.Left, leftOutLine{n.Line, domain, err.Error()})
			continue
		}
		out.Rules = append(out.Rules, web.NewRule{Rule: "extract " + body, Host: in.Host, Site: in.Site, Note: "from a file of extraction rules"})
	}
	return out, nil
}

// takeDomain takes the domain out of a rule, and returns the rest on one line.
func takeDomain(n *yaml.Node) (domain, rest string, err error) {
	if n.Kind != yaml.MappingNode {
		return "", "", errors.New("not a rule: a list of fields is wanted")
	}
	left := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "domain" {
			domain = strings.Trim(strings.ToLower(n.Content[i+1].Value), ". ")
			continue
		}
		n.Content[i].HeadComment, n.Content[i].LineComment, n.Content[i+1].LineComment = "", "", ""
		left.Content = append(left.Content, n.Content[i], n.Content[i+1])
	}
	if domain == "" {
		return "", "", errors.New("domain is empty")
	}
	text, err := yaml.Marshal(left)
	return domain, strings.Join(strings.Fields(string(text)), " "), err
}
