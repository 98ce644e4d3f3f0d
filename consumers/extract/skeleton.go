package extract

import (
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"millrace/consumers/extract/page"
	"millrace/schema"
)

// skeleton is a fingerprint of a page's words, without words that a template fills in: dates and
// words of the URL. So "nothing on 12 May" and "nothing on 13 May" have the same skeleton. Numbers
// that cannot be part of a date count, so that pages of measurements differ. 0 = no words.
func skeleton(title, text string, key schema.RowKey) uint64 {
	words := appendWords(appendWords(make([]byte, 0, len(title)+len(text)+64), title), text)
	named, dates := map[uint64]bool{}, dateWords()
	eachWord(appendWords(nil, string(key)), func(w []byte) { named[xxhash.Sum64(w)] = true })
	sum, n := xxhash.New(), 0
	eachWord(words, func(w []byte) {
		if dateNumber(w) || named[xxhash.Sum64(w)] || dates[string(w)] {
			return
		}
		n++
		_, _ = sum.Write(w)
		_, _ = sum.Write([]byte{' '})
	})
	if n == 0 && len(words) == 0 {
		return 0
	}
	return max(sum.Sum64(), 1)
}

// dateWords are the names of months and days, and their short forms, in languages that write dates
// with words.
var dateWords = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(`january february march april may june july august september october november december
		jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday
		mon tue tues wed thu thur thurs fri sat sun
		января февраля марта апреля мая июня июля августа сентября октября ноября декабря январь февраль март апрель май июнь
		июль август сентябрь октябрь ноябрь декабрь понедельник вторник среда четверг пятница суббота воскресенье среду пятницу субботу
		januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
		janvier février mars avril juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi dimanche
		enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miércoles jueves viernes sábado domingo
		gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre lunedì martedì mercoledì giovedì venerdì sabato domenica`) {
		out[w] = true
	}
	return out
})

// dateNumber reports whether a word may be a day, a month or a year.
func dateNumber(w []byte) bool {
	n := 0
	for _, c := range w {
		if c < '0' || c > '9' || len(w) > 4 {
			return false
		}
		n = 10*n + int(c-'0')
	}
	return len(w) <= 2 && n <= 31 || len(w) == 4 && n >= 1900 && n < 2200
}

// soft404Bytes is the longest text of a page that is taken for a soft 404.
const soft404Bytes = 1500

// soft404 reports whether the title of a short page says that there is nothing, though the status
// was 200.
func soft404(r *page.Result) bool {
	if len(r.Text) > soft404Bytes {
		return false
	}
	title := " " + strings.TrimSpace(string(appendWords(nil, r.Title))) + " "
	for _, say := range []string{" 404 ", " not found ", " page not found ", " does not exist ", " no longer available ",
		" не найдена ", " не найден ", " не существует ", " nicht gefunden ", " introuvable ", " no encontrada "} {
		if strings.Contains(title, say) {
			return true
		}
	}
	for _, say := range []string{"页面不存在", "找不到", "頁面不存在"} {
		if strings.Contains(title, say) {
			return true
		}
	}
	return false
}
