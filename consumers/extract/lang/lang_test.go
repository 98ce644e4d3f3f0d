package lang

import (
	"strings"
	"testing"
)

// TestDetect protects what the index chooses its analyser by: one or two sentences are enough, and
// doubt is said.
func TestDetect(t *testing.T) {
	cases := map[string]string{
		"The weather was fine this morning, and all of them went out to see what had been left by the storm.":          "en",
		"Das Wetter war heute Morgen schön, und alle gingen hinaus, um zu sehen, was der Sturm übrig gelassen hatte.":  "de",
		"Le temps était beau ce matin et ils sont tous sortis pour voir ce que la tempête avait laissé dans la ville.": "fr",
		"El tiempo era bueno esta mañana y todos salieron para ver lo que la tormenta había dejado en la ciudad.":      "es",
		"Погода утром была хорошая, и все они вышли, чтобы посмотреть, что осталось после бури.":                       "ru",
		"Погода вранці була гарна, і всі вони вийшли подивитися, що залишилося після бурі та її вітру.":                "uk",
		"Pogoda była rano dobra i wszyscy wyszli, aby zobaczyć, co zostało po burzy, ale nie było tego dużo.":          "pl",
		"今天早上天气很好，大家都出去看看暴风雨之后还剩下什么。":                                                                                  "zh",
		"今朝は天気がよく、みんなが嵐のあとに何が残っているかを見に出かけた。":                                                                           "ja",
		"오늘 아침은 날씨가 좋아서 모두 폭풍이 지나간 뒤에 무엇이 남았는지 보러 나갔다.":                                                                "ko",
		"Ο καιρός ήταν καλός σήμερα το πρωί και όλοι βγήκαν για να δουν τι άφησε η καταιγίδα.":                         "el",
		"x7 qqq 12345": "",
		"":             "",
	}
	d := New()
	for text, want := range cases {
		if got := d.Detect(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestChoose protects pages whose template states another language than their text is in.
func TestChoose(t *testing.T) {
	long := strings.Repeat("x", 500)
	for _, c := range []struct{ stated, detected, text, want string }{
		{"en", "de", long, "de"},
		{"en", "de", "short", "en"},
		{"en", "zh", "short", "zh"},
		{"nb", "da", long, "nb"},
		{"", "fr", long, "fr"},
		{"fr", "", long, "fr"},
	} {
		if got := Choose(c.stated, c.detected, c.text); got != c.want {
			t.Errorf("states %q, looks like %q: %q, want %q", c.stated, c.detected, got, c.want)
		}
	}
}
