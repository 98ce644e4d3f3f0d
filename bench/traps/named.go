package traps

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// signed is a site of pages without end that answers only addresses which its own pages named: each
// carries a signature. A page has a text of its own and names so many new ones, and so many that it
// named before. form writes an address, such as "/n/%d-%08x".
func signed(name, form string, fresh, known int) Site {
	sign := func(i int) string { return fmt.Sprintf(form, i, draws("signed", name, i).Uint32()) }
	return withTrap(name, []string{sign(1)}, func(_ *Web, path, query string) (string, bool) {
		if query != "" {
			path += "?" + query
		}
		at := strings.TrimPrefix(path, "/n/")
		i, err := strconv.Atoi(at[:max(0, strings.IndexAny(at+"-", "-?"))])
		if err != nil || path != sign(i) {
			return "", false
		}
		var links []string
		for k := range fresh {
			links = append(links, sign(i*fresh+k+1))
		}
		r := draws("back", i)
		for range known {
			links = append(links, sign(1+r.IntN(i)))
		}
		return article(name+path, links...), true
	})
}

// chain is a site of pages without end, each of which names the one before and the next one. It
// answers only these addresses: each carries a signature.
func chain(name, form string) Site {
	sign := func(i int) string { return fmt.Sprintf(form, i, draws("signed", name, i).Uint32()) }
	return withTrap(name, []string{sign(1)}, func(_ *Web, path, query string) (string, bool) {
		if query != "" {
			path += "?" + query
		}
		at := strings.TrimPrefix(path, "/n/")
		i, err := strconv.Atoi(at[:max(0, strings.IndexAny(at+"-", "-?"))])
		if err != nil || path != sign(i) {
			return "", false
		}
		return article(name+path, sign(max(i-1, 1)), sign(i+1)), true
	})
}

// series is an honest series of n pages, each of which names the one before and the next one, and
// which nothing else names but for the first.
func series(name string, n int, path func(i int) string) Site {
	number := sync.OnceValue(func() map[string]int {
		out := map[string]int{}
		for i := range n {
			out[path(i)] = i
		}
		return out
	})
	return Site{Name: name, serve: func(_ *Web, p, q string) (string, bool) {
		if p == "/" {
			return article(name, path(0)), true
		}
		i, ok := number()[p]
		if !ok || q != "" {
			return "", false
		}
		return article(name+p, path(max(i-1, 0)), path(min(i+1, n-1))), true
	}, honest: func() []string { return each(n, path) }}
}

// rising is the address of a chapter whose identifier was drawn when it was written: later ones are
// higher.
func rising(i int) string {
	return fmt.Sprintf("/chapters/%d", 10_000_000+4000*i+draws("rising", i).IntN(4000))
}

// titled is the address of a page that is named by its title.
func titled(i int) string {
	words, r := strings.Fields(vocabulary), draws("titled", i)
	return fmt.Sprintf("/story/the-%s-and-the-%s-%s", words[r.IntN(len(words))], words[r.IntN(len(words))], words[i%len(words)])
}

// days is a calendar of days without end whose addresses are written by a layout of package time,
// with a long text for each day. Other addresses than those of days are not there.
func days(name, layout string) Site {
	first := time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)
	return withTrap(name, []string{first.Format(layout)}, func(_ *Web, path, query string) (string, bool) {
		if query != "" {
			path += "?" + query
		}
		day, err := time.Parse(layout, path)
		if err != nil {
			return "", false
		}
		return article(path, day.AddDate(0, 0, 1).Format(layout), day.AddDate(0, 0, -1).Format(layout)), true
	})
}

// diary is an honest chain of 300 days whose addresses are written without signs.
func diary() Site {
	const entries, layout = 300, "/diary/20060102"
	first := time.Date(2025, 11, 3, 0, 0, 0, 0, time.UTC)
	path := func(i int) string { return first.AddDate(0, 0, i).Format(layout) }
	return Site{Name: "diary.test", serve: func(_ *Web, p, _ string) (string, bool) {
		if p == "/" {
			return article("diary", path(entries-1)), true
		}
		day, err := time.Parse(layout, p)
		i := int(day.Sub(first).Hours() / 24)
		if err != nil || i < 0 || i >= entries {
			return "", false
		}
		return article("diary"+p, path(max(i-1, 0)), path(min(i+1, entries-1))), true
	}, honest: func() []string { return each(entries, path) }}
}

// manyProducts is how many products BigShop has.
const manyProducts = 10_000

// BigShop is an honest shop with 10,000 products below one shape: its categories list fifty on a
// page, and each product names four others.
func BigShop() Site {
	path := func(i int) string { return fmt.Sprintf("/product/%d", i) }
	const shelves, onPage = 20, 50
	return Site{Name: "bigshop.test", serve: func(_ *Web, p, q string) (string, bool) {
		n, _ := strconv.Atoi(strings.TrimPrefix(q, "page="))
		var links []string
		if p == "/" {
			for s := range shelves {
				links = append(links, fmt.Sprintf("/shelf/%d", s))
			}
			return page("Shop", "Choose. ", links...), true
		}
		if s, err := strconv.Atoi(strings.TrimPrefix(p, "/shelf/")); err == nil && s >= 0 && s < shelves {
			for k := n * onPage; k < min((n+1)*onPage, manyProducts/shelves); k++ {
				links = append(links, path(k*shelves+s))
			}
			if (n+1)*onPage < manyProducts/shelves {
				links = append(links, fmt.Sprintf("%s?page=%d", p, n+1))
			}
			return page("Shelf", "", links...), len(links) > 0
		}
		i, err := strconv.Atoi(strings.TrimPrefix(p, "/product/"))
		if err != nil || i < 0 || i >= manyProducts || q != "" {
			return "", false
		}
		r := draws("related", i)
		for range 4 {
			links = append(links, path(r.IntN(manyProducts)))
		}
		return article("bigshop"+p, links...), true
	}, honest: func() []string { return each(manyProducts, path) }}
}
