package lang

import "strings"

// A list has the most common small words of a language, and letters that distinguish it from
// related languages.
type list struct {
	code    string
	words   string
	letters string
	script  script
}

// letterBonus returns a bonus, worth a few words, for letters that only this language has.
func (l list) letterBonus(text string) float64 {
	bonus := 0.0
	for _, r := range l.letters {
		bonus += min(float64(strings.Count(text, string(r))), 4) / 4
	}
	return bonus
}

func listsOf(s script) []list {
	switch s {
	case latin:
		return latinLists()
	case cyrillic:
		return cyrillicLists()
	case arabic:
		return arabicLists()
	}
	return nil
}

func cyrillicLists() []list {
	return []list{
		{code: "ru", words: " и в не на я быть он с что а по это она этот к но они мы весь который из у то за свой так же от для о было был была как бы его если до или еще ещё только может при уже их во вы ты есть нет без тоже чтобы когда чем меня себя этого этой также после ", letters: "ыэё"},
		{code: "uk", words: " і в на не з що у та до як за я це він від про й для але його є був була було або вони ми ви ти по так при через які який яка яке все ще щоб її їх бути коли також після після може під між цього ", letters: "іїєґ"},
		{code: "bg", words: " и на да в се за от с не е по са като ще до това този тази че при които който която си беше е ми му те ни ги го но или още само след има към през много ", letters: "ъщ"},
		{code: "sr", words: " и у је да се на за од са не су као по али или који која које то ће би што из до након само његов она он био била може више када ", letters: "ђћљњџј"},
		{code: "mk", words: " и во на да се за од со не е ќе како по но или кој која кое што до тоа овој сум беше само може повеќе кога ги го ја му ", letters: "ѓќѕј"},
		{code: "be", words: " і ў у на не з што як да за я гэта ён ад пра для але яго быў была было або яны мы вы па так пры праз які якая якое усё яшчэ каб яе іх быць калі таксама пасля можа ", letters: "ўі"},
		{code: "kk", words: " және бұл мен бір үшін де да осы сол болып бар деп деген ол оның қазақстан жаңа емес болды туралы кейін дейін ", letters: "әғқңөұүһі"},
	}
}

func arabicLists() []list {
	return []list{
		{code: "ar", words: " في من على إلى أن عن مع هذا هذه التي الذي لا ما كان كانت قد لم أو كل بعد قبل بين و ذلك حيث كما وقد خلال غير هو هي ", letters: "ةيأإىك"},
		{code: "fa", words: " در و به از که این را با است برای آن یک خود تا کرد بر هم شد شده می های ما نیز باید بود دارد اما یا ", letters: "پچژگکی"},
		{code: "ur", words: " کے میں کی ہے اور سے کا کو نے پر کہ یہ ہیں ایک بھی جو اس تھا گیا کر نہیں لیے تھے ", letters: "ٹڈڑںہھےگ"},
	}
}

func latinLists() []list {
	return []list{
		{code: "en", words: " the of and to in is was that for it with as his on be at by had not are but from or have an they which one you were all her she there would their we him been has when who will more no if out so said what up its about into than them can only other new some time could these two may then do first any my now such like our over man me even most made after also did many before must through ", letters: ""},
		{code: "de", words: " der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde sei ich wir ihr kann gegen vom können schon wenn habe ihre dann unter ", letters: "ßäöü"},
		{code: "fr", words: " de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont la avec son aux d'un cette l' ou d'une ont ses mais comme on tout nous sa fait été aussi leur bien peut ces deux elle être même entre vous ils après sans ", letters: "éèêàçùœ"},
		{code: "es", words: " de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre este ya entre cuando todo esta ser son dos también fue había era muy años hasta desde está mi porque qué sólo han yo hay vez puede todos así nos ni parte ", letters: "ñ¿¡"},
		{code: "it", words: " di e il la che in a un è per una del con non i le della da si sono come al dei nel alla più anche gli ha lo dal delle su se o ma questo ad ed nella degli sua suo hanno essere fra era stato molto quando questa cui due anni tutti ", letters: "àèìòù"},
		{code: "pt", words: " de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos ter seus quem nas me esse eles estão você ", letters: "ãõçâê"},
		{code: "nl", words: " de van een het en in is dat op te zijn voor met die niet aan er om ook als dan maar bij nog door naar heeft uit ze tot over was hij je worden wordt wel ik we dit meer of kan deze zich hun had zo veel werd moet geen haar alle ", letters: "ĳ"},
		{code: "pl", words: " w i na z się nie do to że jest o jak a po za od przez co dla czy ale są tym jego by był tego tak już oraz ich ze tylko które który która może był było przy było można też być jej będzie lub pod mu bardzo ma roku także ", letters: "ąęłżźśćń"},
		{code: "cs", words: " a se v na je že s z do o to i k by ale si jako za pro po tak jeho které který která nebo jsou byl jsem bylo byla ve už jen více než tím při od podle také což když může co aby však má před roce mezi ještě ", letters: "ěřůčžšý"},
		{code: "sk", words: " a sa v na je že s z do o to i k by ale si ako za pre po tak jeho ktoré ktorý ktorá alebo sú bol som bolo bola vo už len viac než pri od podľa aj čo keď môže aby však má pred roku medzi ešte ", letters: "ľĺŕôäť"},
		{code: "hu", words: " a az és hogy nem is egy ez meg de van volt csak el már mint még ki vagy ha lehet azt minden kell be fel le lesz között után szerint pedig akkor aki ami által több nagy majd ezt ő én mi úgy így sem ", letters: "őűáéöü"},
		{code: "ro", words: " de și în a la cu pe că nu o din se un pentru este mai ce care au sunt sa fi ca ale lui al fost prin dar după sau după lor această acest ar fi când dintre până are foarte numai cele ", letters: "șțăâîşţ"},
		{code: "tr", words: " ve bir bu da de için ile olarak daha çok en olan gibi kadar sonra ne var değil o ama ya her olduğu göre olduğunu ki ise iki tarafından büyük şey en bunu kendi yeni oldu ben mi hiç ancak ", letters: "ğışıçİ"},
		{code: "sv", words: " och i att det som en på är av för med den till inte har de om ett han var men jag sig från vi så kan när nu eller efter under ska också man skulle hade ut vid än hon över mot sin kommer mer alla ", letters: "åäö"},
		{code: "da", words: " og i at det er en til på som de af for med den ikke der har et han var men jeg sig fra vi så kan når nu eller efter under skal også man ville havde ud ved end hun over mod sin kommer mere alle blev være ", letters: "æøå"},
		{code: "no", words: " og i å det er en til på som de av for med den ikke har et han var men jeg seg fra vi så kan når nå eller etter under skal også man ville hadde ut ved enn hun over mot sin kommer mer alle ble være ", letters: "æøå"},
		{code: "fi", words: " ja on ei se että oli hän mutta ovat ole joka kun tai niin myös jos mitä kuin sen hänen mukaan ne voi nyt jo vielä sekä kuitenkin vain ollut olla sitten jälkeen kanssa tämä tämän minä me siitä ", letters: "äö"},
		{code: "et", words: " ja on ei et see oli kui ka ta mis aga või nii oma siis kes seda ning veel selle pole välja juba kus ma üle mida nad saab tema olla pärast ainult ", letters: "õäöü"},
		{code: "lv", words: " un ir no ar par uz ka kas to bet tas arī vai nav bija lai pie tā kā pēc pēc gan jau vēl ja pēc tikai viņš tiek būs tad savu ko ", letters: "āēīūšžčņļķģ"},
		{code: "lt", words: " ir kad iš su į tai yra bet kaip buvo o ne tik apie jau dar už jis po nuo prie ar dėl taip savo gali kurie kuris metų ką jų būti ", letters: "ėęįųūšžą"},
		{code: "hr", words: " i je u na se da su za od s ne kao što o to ali ili koji koja koje će bi iz do nakon samo njegov ona on bio bila može više kada biti kako već nije sve ", letters: "đćčšž"},
		{code: "sl", words: " in je v na se da so za od z ne kot kar o to ali pa ki bi iz do po samo njegov bil bila lahko več ko tudi še že kako ni vse med pri ", letters: "čšž"},
		{code: "sq", words: " dhe të në e për një me që nga është i më se nuk si ka u do kjo ishte kanë por ky pas edhe ose duke do tij janë ", letters: "ëç"},
		{code: "id", words: " yang dan di dengan untuk pada dari ini dalam tidak akan itu adalah ke juga oleh ada sebagai bisa mereka telah kami atau karena lebih saya dapat tersebut secara orang menjadi tahun sudah para kita anda saat ", letters: ""},
		{code: "vi", words: " và của là có cho không được trong một những với các người này đã khi để từ cũng đến về ra như ở vào tại sẽ năm còn theo lại nhiều ông trên sau đó hơn ", letters: "ạảấầẩậắằặẹẻẽếềểệỉịọỏốồổộớờởợụủứừửựỳđơư"},
		{code: "ca", words: " de la i el que a en les els un una per amb del no és al es com més ha se però són dels seu aquest també aquesta fa va ser ja sobre entre anys molt ", letters: "çàèòï"},
		{code: "az", words: " və bu bir ilə üçün də da olan edir daha ki olub hər o var sonra kimi isə onun idi edib ", letters: "əğışı"},
		{code: "tl", words: " ang ng sa na mga at ay ni si hindi para may kung ito siya ko mo niya nila pa rin lang ako kanyang ", letters: ""},
	}
}
