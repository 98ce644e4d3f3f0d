package article

import "strings"

// A feature is the index of one number of a block. The names are in the model file.
type feature int

// The features. "Log" is the logarithm of the number plus one; shares are between 0 and 1; -1 means
// "there is none".
const (
	fWords feature = iota
	fChars
	fLinkShare
	fStops
	fCommas
	fUpper
	fDigits
	fEndsSentence
	fTag
	fHidden
	fCopyright
	fPipes
	fIdeographic
	fPosition
	fPositionBack
	fIndex
	fAfterH1
	fBeforeH1
	fTitleShare
	fInSummary
	fInBody
	fTwins
	fDepth
	fPrevWords
	fPrevLinks
	fPrevTag
	fNextWords
	fNextLinks
	fNextTag
	fPrev2Words
	fPrev2Links
	fNext2Words
	fNext2Links
	fNearWords
	fNearLinks
	fParentWords
	fParentLinks
	fParentBlocks
	fParentShare
	fGrandWords
	fGrandLinks
	fGrandBlocks
	fGreatWords
	fGreatLinks
	fBoxWords
	fBoxLinks
	fBoxParagraphs
	fTopDistance
	fTopShare
	fWindow
	fRepeats
	fRepeatWords
	fRepeatLinks
	fSiblings
	fNameOwn
	fNameParent
	fNameMin
	fNameMax
	fNameSum
	fWordMean
	fWordMin
	fWordFirst
	fArticles
	fInArticle
	fInMain
	fInAside
	fInList
	fInTable
	fInForm
	fInQuote
	fInLink
	fPageWords
	fPageLinks
	fPageBlocks
	fPageParagraphs
	fPageForm
	fParagraphsNear
	fHeadingLevel
	fSinceHeading
	fHeadingTag
	fPosts
	fPostWords
	fInComment
	fPostShare
	featureCount
)

// featureNames are the names, in the order of the constants.
const featureNames = `words chars link-share stops commas upper digits ends-sentence tag hidden copyright pipes ideographic position
position-back index after-h1 before-h1 title-share in-summary in-body twins depth prev-words prev-links prev-tag next-words next-links
next-tag prev2-words prev2-links next2-words next2-links near-words near-links parent-words parent-links parent-blocks parent-share
grand-words grand-links grand-blocks great-words great-links box-words box-links box-paragraphs top-distance top-share window repeats
repeat-words repeat-links siblings name-own name-parent name-min name-max name-sum word-mean word-min word-first articles in-article
in-main in-aside in-list in-table in-form in-quote in-link page-words page-links page-blocks page-paragraphs page-form paragraphs-near
heading-level since-heading heading-tag posts post-words in-comment post-share`

// FeatureNames returns the names of the features of the first reading.
func FeatureNames() []string { return strings.Fields(featureNames) }
