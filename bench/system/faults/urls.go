//go:build linux

package faults

import "millrace/schema"

// urlsOf adds the URLs that a record of urls.discovered brings.
func (c *checker) urlsOf(d *schema.Discovered, urls map[string]bool) {
	for _, l := range d.GetLinks().GetLinks() {
		urls[schema.JoinRowKey(schema.Host(d.Host), l.Path).URL()] = true
	}
	for _, item := range d.GetAdd().GetItems() {
		if u, err := c.look.Canon.Parse(item.Url); err == nil {
			urls[u.RowKey().URL()] = true
		}
	}
}
