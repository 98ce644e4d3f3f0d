package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// CanonOptions says what canonicalisation does beyond the URL standard and RFC
// 3986. Names are compared without regard to case.
type CanonOptions struct {
	// DropParams names query parameters that say where a visitor came from or
	// which session he is in, never what the page shows. A name that ends in *
	// stands for all that begin so.
	DropParams []string
	// DropSessionParams names query parameters that are often a session and
	// sometimes content: dropped if the value is 32 hex digits.
	DropSessionParams []string
	// DropPathParams names parameters behind a semicolon, as in
	// /shop;jsessionid=1A2B, in the path or in the query.
	DropPathParams []string
	// SortParams puts query parameters in the order of their names (equal names
	// keep theirs). Off: some sites care about the order.
	SortParams bool
}

// DefaultCanonOptions drops the tracking and session parameters of the common
// advertisers, mailers and frameworks.
func DefaultCanonOptions() CanonOptions {
	return CanonOptions{
		DropParams: []string{
			"utm_*",                                                      // Urchin, Google Analytics
			"gclid", "gclsrc", "dclid", "gbraid", "wbraid", "_ga", "_gl", // Google
			"fbclid", "fb_action_ids", "fb_action_types", "igshid", "igsh", // Meta
			"msclkid", "twclid", "ttclid", "li_fat_id", "epik", "rdt_cid", // Microsoft, X, TikTok, LinkedIn, Pinterest, Reddit
			"yclid", "ysclid", "_openstat", // Yandex
			"mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "__hstc", // Mailchimp, Marketo, HubSpot
			"oly_anon_id", "oly_enc_id", "vero_id", "vero_conv", "wickedid", // Omeda, Vero, Wicked Reports
			"phpsessid", "jsessionid", "aspsessionid*", "_sessionid", "bv_sessionid", "oscsid", "zenid", "cftoken",
		},
		DropSessionParams: []string{"sid", "_sid", "lsid", "jsid", "s", "sess", "sessid", "session", "session_id", "sessionid"},
		DropPathParams:    []string{"jsessionid", "phpsessid"},
	}
}

// Validate refuses names that could never match, or would match everything.
func (o CanonOptions) Validate() error {
	var errs []error
	for _, name := range o.DropParams {
		errs = append(errs, validParamName(strings.TrimSuffix(name, "*")))
	}
	for _, name := range slices.Concat(o.DropSessionParams, o.DropPathParams) {
		errs = append(errs, validParamName(name))
	}
	return errors.Join(errs...)
}

func validParamName(name string) error {
	if name == "" || len(name) > maxParamName {
		return fmt.Errorf("schema: parameter name %q: want 1 to %d bytes", name, maxParamName)
	}
	for i := 0; i < len(name); i++ {
		if !isUnreserved(name[i]) {
			return fmt.Errorf("schema: parameter name %q: only letters, digits, - . _ ~, and in DropParams a * at the end", name)
		}
	}
	return nil
}
