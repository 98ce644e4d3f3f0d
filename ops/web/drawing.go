package web

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"millrace/streams"
)

// The drawings are SVG made from our own numbers only: no text from the web gets in.

// Size of a sparkline, in its own units; CSS says how large it is on the page.
const sparkWidth, sparkHeight = 120.0, 28.0

// sparkline draws values over time, with gaps where a value is negative.
func sparkline(values []float64) template.HTML {
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	var line, area strings.Builder
	step := sparkWidth / float64(max(1, len(values)-1))
	open := false
	for i, v := range values {
		x := float64(i) * step
		if v < 0 {
			if open {
				fmt.Fprintf(&area, "L%.1f %.0fZ", x-step, sparkHeight)
			}
			open = false
			continue
		}
		y := sparkHeight - 1.5
		if top > 0 {
			y -= v / top * (sparkHeight - 4)
		}
		if !open {
			fmt.Fprintf(&line, "M%.1f %.1f", x, y)
			fmt.Fprintf(&area, "M%.1f %.0fL%.1f %.1f", x, sparkHeight, x, y)
		} else {
			fmt.Fprintf(&line, "L%.1f %.1f", x, y)
			fmt.Fprintf(&area, "L%.1f %.1f", x, y)
		}
		open = true
	}
	if open {
		fmt.Fprintf(&area, "L%.1f %.0fZ", sparkWidth, sparkHeight)
	}
	return template.HTML(fmt.Sprintf(`<svg class="spark" viewBox="0 0 %.0f %.0f" preserveAspectRatio="none" aria-hidden="true">`+
		`<path class="area" d="%s"/><path class="line" d="%s"/></svg>`, sparkWidth, sparkHeight, area.String(), line.String()))
}

// Cells of a heat map: at most cellsPerRow in a row.
const (
	cellsPerRow = 32
	cellSize    = 9
	heats       = 5 // classes of CSS: heat0 is nothing, heat5 the most
)

// cells draws one square for each partition, darker the more it is behind: one class for each power
// of ten, in records, or in seconds if that is more.
func cells(parts []streams.PartitionLag) template.HTML {
	var b strings.Builder
	rows := (len(parts) + cellsPerRow - 1) / cellsPerRow
	width := min(len(parts), cellsPerRow) * cellSize
	fmt.Fprintf(&b, `<svg class="cells" width="%d" height="%d" role="img" aria-label="lag by partition">`, width, rows*cellSize)
	for i, p := range parts {
		fmt.Fprintf(&b, `<rect class="heat%d" x="%d" y="%d" width="%d" height="%d" rx="1.5"><title>partition %d: %s records, %s behind</title></rect>`,
			heat(p), i%cellsPerRow*cellSize, i/cellsPerRow*cellSize, cellSize-1, cellSize-1, p.Partition, count(p.Records), span(p.Seconds))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

func heat(p streams.PartitionLag) int {
	if p.Records == 0 {
		return 0
	}
	return min(heats, 1+int(max(math.Log10(float64(p.Records)), math.Log10(max(1, p.Seconds)))))
}

// bar draws a share of the whole as a bar.
func bar(n, most int64) template.HTML {
	share := 0.0
	if most > 0 {
		share = 100 * float64(n) / float64(most)
	}
	return template.HTML(fmt.Sprintf(`<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">`+
		`<rect class="rest" width="100" height="6"/><rect class="part" width="%.2f" height="6"/></svg>`, share))
}
