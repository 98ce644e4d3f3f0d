package main

import (
	"cmp"
	"math"
	"slices"
)

// ndcg is the normalised discounted cumulative gain of the first k results (Järvelin, Kekäläinen
// 2002, with linear gains and log2 discount).
func ndcg(results []string, relevant map[string]float64, k int) float64 {
	got := 0.0
	for i, key := range results[:min(k, len(results))] {
		got += relevant[key] / math.Log2(float64(i)+2)
	}
	ideal := 0.0
	gains := make([]float64, 0, len(relevant))
	for _, g := range relevant {
		gains = append(gains, g)
	}
	slices.SortFunc(gains, func(a, b float64) int { return cmp.Compare(b, a) })
	for i, g := range gains[:min(k, len(gains))] {
		ideal += g / math.Log2(float64(i)+2)
	}
	if ideal == 0 {
		return 0
	}
	return got / ideal
}

// mean is the mean nDCG@10 over the questions that have an answer.
func mean(c *collection, ask func(text string) ([]string, error)) (float64, error) {
	sum, n := 0.0, 0
	for _, q := range c.questions {
		if len(q.relevant) == 0 {
			continue
		}
		results, err := ask(q.text)
		if err != nil {
			return 0, err
		}
		sum += ndcg(results, q.relevant, 10)
		n++
	}
	return sum / float64(max(1, n)), nil
}
