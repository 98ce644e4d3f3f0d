package dates

// month returns the number of a month by its name in lower case; 0 if it is none. Languages:
// English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Ukrainian,
// Bulgarian, Czech, Slovak, Croatian, Serbian, Hungarian, Romanian, Turkish, Swedish, Danish,
// Norwegian, Finnish, Greek, Indonesian, Arabic, Thai, Hebrew, Hindi; also the genitives used in
// dates. "listopada" is read as Polish (November), not as Croatian (October).
func month(w string) int {
	switch w {
	case "january", "jan", "januar", "jänner", "jän", "janvier", "janv", "enero", "ene", "gennaio", "gen", "janeiro", "januari",
		"stycznia", "styczeń", "sty", "января", "январь", "янв", "січня", "січень", "януари", "яну", "ledna", "leden", "januára",
		"siječnja", "jануар", "јануар", "január", "ianuarie", "ian", "ocak", "oca", "tammikuuta", "tammikuu", "ιανουαρίου", "ιανουάριος",
		"ιαν", "يناير", "كانون الثاني",
		"มกราคม", "ม.ค", "ינואר", "בינואר", "जनवरी":
		return 1
	case "february", "feb", "februar", "feber", "février", "févr", "fév", "fevrier", "febrero", "febbraio", "fevereiro", "fev", "februari",
		"lutego", "luty", "lut", "февраля", "февраль", "фев", "февр", "лютого", "лютий", "февруари", "února", "únor", "februára",
		"veljače", "фебруар", "február", "febr", "februarie", "şubat", "şub", "helmikuuta", "helmikuu", "φεβρουαρίου", "φεβρουάριος", "φεβ", "فبراير", "pebruari",
		"กุมภาพันธ์", "ก.พ", "פברואר", "בפברואר", "फरवरी", "फ़रवरी":
		return 2
	case "march", "mar", "märz", "mär", "mrz", "maerz", "mars", "marzo", "março", "marco", "maart", "mrt", "marca", "marzec", "марта", "март", "мар",
		"березня", "березень", "března", "březen", "ožujka", "március", "márc", "martie", "mart", "maret", "marts", "maaliskuuta",
		"maaliskuu", "μαρτίου", "μάρτιος", "μαρ", "مارس",
		"มีนาคม", "มี.ค", "מרץ", "במרץ", "मार्च":
		return 3
	case "april", "apr", "avril", "avr", "abril", "abr", "aprile", "kwietnia", "kwiecień", "kwi", "апреля", "апрель", "апр", "квітня", "квітень",
		"април", "dubna", "duben", "apríla", "travnja", "április", "ápr", "aprilie", "nisan", "nis", "huhtikuuta", "huhtikuu",
		"απριλίου", "απρίλιος", "απρ", "أبريل", "ابريل", "إبريل",
		"เมษายน", "เม.ย", "אפריל", "באפריל", "अप्रैल":
		return 4
	case "may", "mai", "mayo", "maggio", "mag", "maio", "mei", "maja", "maj", "мая", "май", "травня", "травень", "května", "květen",
		"mája", "svibnja", "мај", "május", "máj", "mayıs", "toukokuuta", "toukokuu", "μαΐου", "μάιος", "μαϊου", "μαι", "μαΐ", "مايو",
		"พฤษภาคม", "พ.ค", "מאי", "במאי", "मई":
		return 5
	case "june", "jun", "juni", "juin", "junio", "giugno", "giu", "junho", "czerwca", "czerwiec", "cze", "июня", "июнь", "июн",
		"червня", "червень", "юни", "června", "červen", "júna", "lipnja", "јун", "június", "jún", "iunie", "iun", "haziran", "haz", "kesäkuuta",
		"kesäkuu", "ιουνίου", "ιούνιος", "ιουν", "يونيو",
		"มิถุนายน", "มิ.ย", "יוני", "ביוני", "जून":
		return 6
	case "july", "jul", "juli", "juillet", "juil", "julio", "luglio", "lug", "julho", "lipca", "lipiec", "июля", "июль", "июл",
		"липня", "липень", "юли", "července", "červenec", "júla", "srpnja", "јул", "július", "júl", "iulie", "iul", "temmuz", "tem",
		"heinäkuuta", "heinäkuu", "ιουλίου", "ιούλιος", "ιουλ", "يوليو",
		"กรกฎาคม", "ก.ค", "יולי", "ביולי", "जुलाई":
		return 7
	case "august", "aug", "août", "aout", "agosto", "ago", "augustus", "sierpnia", "sierpień", "sie", "августа", "август", "авг",
		"серпня", "серпень", "srpna", "srpen", "augusta", "kolovoza", "augusztus", "ağustos", "ağu", "agustus", "augusti", "elokuuta",
		"elokuu", "αυγούστου", "αύγουστος", "αυγ", "أغسطس", "اغسطس",
		"สิงหาคม", "ส.ค", "אוגוסט", "באוגוסט", "अगस्त":
		return 8
	case "september", "sep", "sept", "septembre", "septiembre", "settembre", "set", "setembro", "września", "wrzesień", "wrz",
		"сентября", "сентябрь", "сен", "сент", "вересня", "вересень", "септември", "září", "septembra", "rujna", "септембар",
		"szeptember", "szept", "septembrie", "eylül", "eyl", "syyskuuta", "syyskuu", "σεπτεμβρίου", "σεπτέμβριος", "σεπ", "سبتمبر",
		"กันยายน", "ก.ย", "ספטמבר", "בספטמבר", "सितंबर", "सितम्बर":
		return 9
	case "october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre", "ott", "outubro", "out", "października", "październik",
		"paź", "октября", "октябрь", "окт", "жовтня", "жовтень", "октомври", "října", "říjen", "októbra", "октобар",
		"október", "octombrie", "ekim", "eki", "lokakuuta", "lokakuu", "οκτωβρίου", "οκτώβριος", "οκτ", "أكتوبر", "اكتوبر",
		"ตุลาคม", "ต.ค", "אוקטובר", "באוקטובר", "अक्टूबर", "अक्तूबर":
		return 10
	case "november", "nov", "novembre", "noviembre", "novembro", "listopad", "listopada", "lis", "ноября", "ноябрь", "ноя", "нояб", "листопада", "листопад",
		"ноември", "listopadu", "novembra", "studenoga", "studenog", "новембар", "noiembrie", "kasım", "kas", "marraskuuta", "marraskuu",
		"νοεμβρίου", "νοέμβριος", "νοε", "نوفمبر", "nopember",
		"พฤศจิกายน", "พ.ย", "נובמבר", "בנובמבר", "नवंबर", "नवम्बर":
		return 11
	case "december", "dec", "dezember", "dez", "décembre", "déc", "decembre", "diciembre", "dic", "dicembre", "dezembro", "grudnia",
		"grudzień", "gru", "декабря", "декабрь", "дек", "грудня", "грудень", "декември", "prosince", "prosinec", "decembra", "prosinca",
		"децембар", "decembrie", "aralık", "ara", "desember", "des", "joulukuuta", "joulukuu", "δεκεμβρίου", "δεκέμβριος", "δεκ", "ديسمبر",
		"ธันวาคม", "ธ.ค", "דצמבר", "בדצמבר", "दिसंबर", "दिसम्बर":
		return 12
	}
	return 0
}
