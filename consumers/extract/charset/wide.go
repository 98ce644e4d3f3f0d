package charset

import (
	"unicode/utf8"
)

// Characters of Chinese, Japanese and Korean, the most common first. The cost of others depends on
// their block.

const simplified = `的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运`

const traditional = `的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運網站您請`

const hiragana = `のいたるにしはをがとてなでれっんかすらりもくまこうあきさだけどよそつせわちえみばやおじめろほげずべびひねごぶへぎぼぐふゆづむぜぬぞぱょゃゅぇぁぽぴぷぺぃ`

const katakana = `ーンスルトイリアラクドシレッジカタロフコプテマムメナオサニキウグデバパブチュエミセツォソョネハヘピホペワダモノケビポガヤボベィャユァゴザヨゼギェゲゾズヒヴヌ`

const japaneseHan = `日本人年大国会中出一月上時生行分者間見高部合社自新東内事方後地前学的場動体手代作名市業用定対通発同理度車下入全小山田所長子目語現回実法関点物立気事最主文開第二三使明平性不経相機表外多期意公金数教北加明私食楽書`

const hangul = `이다는의에을가하고은지사도를로한기대시어자서인해나리스아정있일부그으수전제상라국주들원보과장여구만동비공오우장유선신계성조세게안니습합등경소문용관생중위방치개마적미연분영요화행모무회발내간결월년했것았었했면되된던까지네요며호물진실통현재민학교당박김최강남북양임금처음입출품건강설명번호의견보기글쓰회원가입로그인`

// wide makes a model from lists, each with its share of a text, and a cost for characters in none
// of them.
func wide(lists []string, shares []float64, rest func(rune) float64) model {
	m := model{letters: make(map[rune]float64, 512), rest: rest, joins: true}
	for i, list := range lists {
		for r, bits := range ranked(list, 6, shares[i]) {
			m.letters[r] = bits
		}
	}
	return m
}

func chineseModel(common string) model {
	rare := rareness(common == simplified)
	return wide([]string{common}, []float64{0.62}, func(r rune) float64 {
		switch {
		case 0x4e00 <= r && r < 0x9fa6:
			return 14.5 + float64(rare[r-0x4e00])
		case 0x3000 <= r && r < 0x3020, 0xff00 <= r && r < 0xff5f:
			return 7
		case 0x3040 <= r && r < 0x3100:
			return 17
		}
		return 0
	})
}

// rareness returns for every character from U+4E00 on how many bits it costs more than a common
// one. GB 2312 and Big5 have their most common thousands of characters in a level of their own.
func rareness(isSimplified bool) []uint8 {
	name, low, high := "big5", byte(0xa4), byte(0xc6)
	if isSimplified {
		name, low, high = "gb18030", 0xb0, 0xd7
	}
	encoder := decoderOf(name).NewEncoder()
	bits := make([]uint8, 0x9fa6-0x4e00)
	var in [utf8.UTFMax]byte
	var out [8]byte
	for i := range bits {
		encoder.Reset()
		n, _, err := encoder.Transform(out[:], in[:utf8.EncodeRune(in[:], rune(0x4e00+i))], true)
		switch {
		case err != nil || n != 2:
			bits[i] = 6
		case out[0] < low || out[0] > high || isSimplified && out[1] < 0xa1:
			bits[i] = 5
		}
	}
	return bits
}

func japaneseModel() model {
	return wide([]string{hiragana, katakana, japaneseHan}, []float64{0.45, 0.15, 0.15}, func(r rune) float64 {
		switch {
		case 0x4e00 <= r && r < 0x9fa6:
			return 14.5
		case 0x3000 <= r && r < 0x3020, 0xff00 <= r && r < 0xff5f:
			return 7
		case 0x3040 <= r && r < 0x3100:
			return 13
		case 0xff61 <= r && r < 0xffa0: // half-width katakana: what other sets become under Shift_JIS
			return 13
		}
		return 0
	})
}

func koreanModel() model {
	return wide([]string{hangul}, []float64{0.75}, func(r rune) float64 {
		switch {
		case 0xac00 <= r && r < 0xd7a4:
			return 13
		case 0x4e00 <= r && r < 0x9fa6:
			return 17
		case 0x3000 <= r && r < 0x3020, 0xff00 <= r && r < 0xff5f:
			return 9
		}
		return 0
	})
}
