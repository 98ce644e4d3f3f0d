package tree

import "strings"

// The names that have capital letters in SVG and MathML, by those that the tokenizer gives (HTML
// standard, 13.2.6.1, adjust MathML attributes and adjust SVG attributes, and 13.2.6.5).
var (
	svgElements = byLower(`altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend
		feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight
		feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset
		fePointLight feSpecularLighting feSpotLight feTile feTurbulence foreignObject glyphRef linearGradient radialGradient
		textPath`)
	svgAttributes = byLower(`attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits diffuseConstant
		edgeMode filterUnits glyphRef gradientTransform gradientUnits kernelMatrix kernelUnitLength keyPoints keySplines keyTimes
		lengthAdjust limitingConeAngle markerHeight markerUnits markerWidth maskContentUnits maskUnits numOctaves pathLength
		patternContentUnits patternTransform patternUnits pointsAtX pointsAtY pointsAtZ preserveAlpha preserveAspectRatio
		primitiveUnits refX refY repeatCount repeatDur requiredExtensions requiredFeatures specularConstant specularExponent
		spreadMethod startOffset stdDeviation stitchTiles surfaceScale systemLanguage tableValues targetX targetY textLength
		viewBox viewTarget xChannelSelector yChannelSelector zoomAndPan`)
	mathAttributes = byLower("definitionURL")
)

// foreignAttributes are those that have a namespace of their own (13.2.6.1, adjust foreign
// attributes).
var foreignAttributes = map[string]bool{
	"xlink:actuate": true, "xlink:arcrole": true, "xlink:href": true, "xlink:role": true, "xlink:show": true, "xlink:title": true,
	"xlink:type": true, "xml:lang": true, "xml:space": true, "xmlns:xlink": true,
}

func byLower(names string) map[string]string {
	m := map[string]string{}
	for name := range strings.FieldsSeq(names) {
		m[strings.ToLower(name)] = name
	}
	return m
}

func adjusted(names map[string]string, name string) string {
	if s, ok := names[name]; ok {
		return s
	}
	return name
}
