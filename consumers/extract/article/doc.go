// Package article turns the tree of a page into its main text: the article, the posts, the product's description, and
// not the menus, teasers, forms and notices around them.
//
// Split cuts the tree into blocks, runs of text that a reader sees as one paragraph, with what is known of each: words,
// words in links, the elements around it. Then every block is kept or dropped.
//
// It promises text in the order of the page, one block a line, each line clean as package plain has it, and no more than Options.MaxText bytes.
//
// Caveats: text that a script would add is not seen. Hidden blocks count as weak candidates, for many sites unfold
// their text by script.
package article
