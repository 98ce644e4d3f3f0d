package wire

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/mail"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/producers/websub"
	"millrace/streams"
)

// Config holds all settings: from flags, environment variables (MILLRACE_MAX_DEPTH for max-depth)
// and a YAML file, with precedence in this order. The tags hold names and help texts.
type Config struct {
	Data       string   `name:"data" help:"directory of everything that is kept: log, state, index, token"`
	Listen     string   `name:"listen" help:"address of the search page, dashboard and API; port 0 picks a free one. Beyond loopback all of it asks for the token (as the password)"`
	ServeNames []string `name:"serve-name" help:"host name under which people reach listen, such as search.example.org; IP addresses, localhost and this machine's name are known; may be repeated"`
	Public     bool     `name:"public-search" help:"search needs no token, wherever listen is; all else needs it as soon as other machines reach it"`
	Brokers    []string `name:"brokers" help:"Kafka brokers; none: a broker in this process, kept in the data directory"`
	Store      string   `name:"store" help:"cql://host:port,host:port/keyspace of ScyllaDB or Cassandra; empty: in the data directory"`
	Peers      string   `name:"peers" help:"host:port at which the processes of a cluster ask this one for its part of the index; empty: they do not"`
	Partitions int      `name:"partitions" help:"partitions of the topics keyed by host, a power of two; 0: 64 on a cluster, 4 in one process"`
	DocParts   int      `name:"doc-partitions" help:"partitions of the documents and of the index, a power of two, which never changes; 0: 16 on a cluster, 4 in one process"`
	Replicas   int      `name:"replicas" help:"copies of every record and row on a cluster; 0: as many as brokers and nodes allow, 3 at most"`

	KafkaListen    string `name:"kafka-listen" help:"host:port at which other programs read the topics of the built-in broker, with a login; empty: nobody but this process reaches it"`
	KafkaAdvertise string `name:"kafka-advertise" help:"host:port that readers are told to dial, if it is not the one they dialled first (behind a port that is forwarded)"`
	KafkaDoorCert  string `name:"kafka-listen-cert" help:"PEM file of the certificate that readers are shown: they speak TLS then"`
	KafkaDoorKey   string `name:"kafka-listen-key" help:"PEM file of its key"`

	KafkaAccess
	StoreAccess

	Scope        string        `name:"scope" help:"which links are followed: host or site (registrable domain) of the seeds, or any"`
	MaxDepth     int           `name:"max-depth" help:"links from a seed at most; 0: any number"`
	MaxPages     int64         `name:"max-pages" help:"stop starting fetches after so many, of all processes together; what is in flight may come on top; 0: no end"`
	NoIndex      bool          `name:"no-index" help:"run without the index: documents are published on docs.unique and nothing finds them; run again without it to index all of them"`
	Traps        bool          `name:"traps" help:"put pages aside once their kind of URL has brought no new text for long: calendars without end, session ids, soft 404s; --traps=false follows everything"`
	Order        string        `name:"order" help:"which new pages of a host come first: best, those whose kind of URL brought new text, or breadth, in the order in which they were found"`
	Learn        int           `name:"learn" help:"from this percent of confidence on rules that what was crawled suggests are added by themselves (millrace rules list shows them, by learnt); 0: they are only proposed"`
	MaxURLsHost  int64         `name:"max-urls-host" help:"URLs of a host that are known at most; other sites bring half of them at most, and one of them a sixteenth; 0: any number"`
	MaxPagesHost int64         `name:"max-pages-host" help:"pages of a host that are fetched at most; the others are left out; 0: any number"`
	MaxPagesSite int64         `name:"max-pages-site" help:"pages of all hosts of a site together that are fetched at most; the others are left out; 0: any number"`
	MaxMiBHost   int64         `name:"max-mib-host" help:"what the pages of a host may have brought, each counted once, in MiB, before its other pages are left out; 0: any amount"`
	MaxHostsSite int           `name:"max-hosts-site" help:"hosts of a site at most, for names made up without end; other sites bring half of them at most; 0: any number"`
	Rules        string        `name:"rules" help:"YAML file of extraction rules by domain: which pages are articles, which elements hold content, title, date, author"`
	PoliteBy     string        `name:"polite-by" help:"what one request at a time and the delay hold for: each host, each site, or each ip address; the same in every process of a cluster"`
	Delay        time.Duration `name:"delay" help:"least time between the starts of two requests to a host, robots.txt included"`
	DelaySite    time.Duration `name:"delay-site" help:"the same for all hosts of a site at one address, in one process; 0s: as delay"`
	DelayIP      time.Duration `name:"delay-ip" help:"the same for different sites at one address, in one process; 0s: they do not wait for each other"`
	Recrawl      time.Duration `name:"recrawl" help:"budget of re-crawls: how often a page is fetched again, on average over its host; pages that change get more of it, others less; 0s: nothing is fetched again"`
	RecrawlMin   time.Duration `name:"recrawl-min" help:"least time between two fetches of a page"`
	RecrawlMax   time.Duration `name:"recrawl-max" help:"most time between two fetches of a page; more where the budget does not reach for it, but at most 30 times --recrawl"`
	RecrawlShare int           `name:"recrawl-share" help:"percent of the requests that a host's delay allows that re-crawls may take"`
	RecrawlBy    string        `name:"recrawl-by" help:"what a page's being current is worth: equal, or its score"`
	FeedMin      time.Duration `name:"feed-min" help:"least time between two fetches of a feed or sitemap"`
	FeedMax      time.Duration `name:"feed-max" help:"most time between two fetches of a feed; four times as much of a sitemap"`
	WebSub       string        `name:"websub" help:"address under which the hubs of feeds reach listen, such as https://crawler.example.org: what they push is fetched at once; give it to one process of a crawl; empty: feeds are only polled"`
	IndexNow     bool          `name:"indexnow" help:"take the URLs that sites announce by the IndexNow protocol, at the path /indexnow of listen: a host's key is proved by a file on that host"`
	UserAgent    string        `name:"user-agent" help:"product token: the name robots.txt files know the crawler by"`
	Contact      string        `name:"contact" help:"URL or mail address for site owners, sent with every request; needed unless allow-private"`
	AllowPrivate bool          `name:"allow-private" help:"loopback and private addresses may be fetched"`
	Ports        []string      `name:"ports" help:"ports that may be connected to; URLs with another are refused"`
	Resolve      []string      `name:"resolve" help:"PATTERN=HOST:PORT: where to connect for host names like *.test; may be repeated"`
	Requests     int           `name:"requests" help:"requests in flight at most, in one process; twice as many more may wait for servers that take over a second"`

	MaxFile int `name:"max-file" help:"largest PDF, Office, EPUB or RTF file that is fetched and read, in MiB, 32 at most; 0: none is fetched"`

	KeepFree int `name:"keep-free" help:"free space on the disk of data, in MiB, below which one process without a cluster starts no fetch; 0: it is not looked at"`

	UntilIdle bool          `name:"until-idle" help:"end when nothing is left to do"`
	IdleWait  time.Duration `name:"idle-wait" help:"with until-idle: retries and deferrals due within it are waited for"`

	Taps      []string      `name:"tap" help:"FORMAT=DIR or FORMAT:TOPIC=DIR: write the crawl into files while it runs: parquet (documents), warc (pages), links, or jsonl; DIR may be s3://bucket/folder; may be repeated"`
	RollMiB   int           `name:"roll-mib" help:"MiB of records in a file of a tap at most"`
	RollEvery time.Duration `name:"roll-every" help:"age of the oldest record that waits for its file"`
	TapWait   time.Duration `name:"tap-wait" help:"with until-idle or until-end: how long a tap is waited for that writes nothing, because its disk is full or its store is away; then the command ends with an error"`

	Edition       int64  `name:"edition" help:"version of the extraction options; raise it to have a replay replace documents"`
	Member        string `name:"member" help:"name of this process in its groups; a stable one rejoins at once after a restart"`
	GroupProtocol string `name:"group-protocol" help:"who divides the partitions of a cluster among the processes: classic, they themselves, or consumer, the brokers (KIP-848; Kafka 4.3 or newer, experimental); the same in every process"`
	LogLevel      string `name:"log-level" help:"debug, info, warn or error"`
	LogFormat     string `name:"log-format" help:"text or json"`
	Profile       string `name:"cpuprofile" help:"file for a CPU profile of the whole run, for go tool pprof; a running process gives others at /debug/pprof/ to who has the token"`
}

// maxEdition bounds editions: each replay needs one above the last.
const maxEdition = 1_000_000_000

// DefaultConfig returns the defaults.
func DefaultConfig() Config {
	return Config{
		Data: "./millrace-data", Listen: "127.0.0.1:8080",
		Scope: "site", Traps: true, Order: "best", PoliteBy: "host", MaxURLsHost: 1_000_000, MaxHostsSite: 1000,
		Delay: time.Second, DelayIP: 100 * time.Millisecond, UserAgent: "millrace",
		Recrawl: 24 * time.Hour, RecrawlMin: time.Hour, RecrawlMax: 30 * 24 * time.Hour, RecrawlShare: 25, RecrawlBy: "equal",
		FeedMin: 10 * time.Minute, FeedMax: 6 * time.Hour, Requests: 256, MaxFile: 32, KeepFree: 256, Ports: []string{"80", "443"},
		IdleWait: time.Minute, RollMiB: 64, RollEvery: 5 * time.Minute, TapWait: 5 * time.Minute, Edition: 1, GroupProtocol: "classic", LogLevel: "warn", LogFormat: "text",
	}
}

// Version returns the version for the User-Agent and `millrace version`.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "0.1"
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}

// Embedded reports whether broker and store are in this process.
func (c Config) Embedded() bool { return len(c.Brokers) == 0 }

// Validate returns an error for the first setting that is wrong, in words for the user.
func (c Config) Validate() error {
	switch {
	case c.Data == "":
		return errors.New("data: must name a directory")
	case c.ports() == nil:
		return fmt.Errorf("ports: %q is no list of port numbers, like 80,443", strings.Join(c.Ports, ","))
	case c.Requests < 1 || c.Requests > 65536:
		return fmt.Errorf("requests: %d is not between 1 and 65536", c.Requests)
	case c.MaxFile < 0 || c.MaxFile > 32:
		return fmt.Errorf("max-file: %d is not between 0 and 32 MiB", c.MaxFile)
	case c.KeepFree < 0 || c.KeepFree > 1<<30:
		return fmt.Errorf("keep-free: %d is not between 0 and %d MiB", c.KeepFree, 1<<30)
	case c.WebSub != "" && websub.CheckBase(c.WebSub) != nil:
		return websub.CheckBase(c.WebSub)
	case !isName(c.UserAgent):
		return fmt.Errorf("user-agent: %q must be one word, the name that robots.txt files use: of letters, digits, \"-\", \"_\" and \".\"", c.UserAgent)
	case c.Member != "" && !isName(c.Member):
		return fmt.Errorf("member: %q must be one word, of letters, digits, \"-\", \"_\" and \".\"", c.Member)
	case c.Replicas < 0 || c.Replicas > 100:
		return fmt.Errorf("replicas: %d is not between 0 and 100", c.Replicas)
	case c.Edition < 1 || c.Edition > maxEdition:
		return fmt.Errorf("edition: %d is not between 1 and %d", c.Edition, maxEdition)
	case c.Partitions > math.MaxInt32 || c.DocParts > math.MaxInt32:
		return fmt.Errorf("partitions, doc-partitions: %d: must be a power of two from 1 to 4096", max(c.Partitions, c.DocParts))
	case c.Embedded() != (c.Store == ""):
		return errors.New("brokers and store go together: give both for a cluster, or neither for one process")
	case c.GroupProtocol != "classic" && c.GroupProtocol != "consumer":
		return fmt.Errorf("group-protocol: %q is neither classic nor consumer", c.GroupProtocol)
	case c.GroupProtocol == "consumer" && c.Embedded():
		return errors.New("group-protocol consumer is for clusters: in one process nothing is divided")
	case c.Peers != "" && c.Embedded():
		return errors.New("peers is for clusters: one process has the whole index")
	}
	for _, check := range []func() error{c.validateFrontier, c.validateRecrawl, c.validateAddresses, c.validateAccess} {
		if err := check(); err != nil {
			return err
		}
	}
	if err := web.CheckResolve(c.Resolve); err != nil {
		return fmt.Errorf("resolve: %w", err)
	}
	for _, t := range c.Taps {
		if _, err := ParseTap(t); err != nil {
			return err
		}
	}
	if err := c.tapFiles().Validate(); err != nil {
		return fmt.Errorf("roll-mib, roll-every, tap-wait: %w", err)
	}
	if c.Contact != "" && !isContact(c.Contact) {
		return fmt.Errorf("contact: %q is neither a URL nor a mail address, so site owners could not reach you", c.Contact)
	}
	return c.Layout().Validate()
}

// validateFrontier checks what is crawled, in which order, and how fast.
func (c Config) validateFrontier() error {
	switch {
	case !slices.Contains([]string{"host", "site", "any"}, c.Scope):
		return fmt.Errorf("scope: %q is none of host, site, any", c.Scope)
	case c.Order != "best" && c.Order != "breadth":
		return fmt.Errorf("order: %q is none of best, breadth", c.Order)
	case c.Learn != 0 && (c.Learn < 50 || c.Learn > 99):
		return fmt.Errorf("learn: %d is neither 0 nor between 50 and 99 percent", c.Learn)
	case politeBy(c.PoliteBy) < 0:
		return fmt.Errorf("polite-by: %q is none of host, site, ip", c.PoliteBy)
	case c.MaxMiBHost < 0 || c.MaxMiBHost > 1<<30:
		return fmt.Errorf("max-mib-host: %d is not between 0 and %d MiB", c.MaxMiBHost, 1<<30)
	case c.MaxURLsHost < 0 || c.MaxPagesHost < 0 || c.MaxPagesSite < 0 || c.MaxHostsSite < 0:
		return errors.New("max-urls-host, max-pages-host, max-pages-site and max-hosts-site must not be negative")
	case c.Delay < 0 || c.Delay > time.Hour:
		return fmt.Errorf("delay: %s is not between 0s and 1h", c.Delay)
	case c.DelaySite < 0 || c.DelaySite > 24*time.Hour:
		return fmt.Errorf("delay-site: %s is not between 0s and 24h", c.DelaySite)
	case c.DelayIP < 0 || c.DelayIP > time.Minute:
		return fmt.Errorf("delay-ip: %s is not between 0s and 1m", c.DelayIP)
	case c.MaxDepth < 0 || c.MaxPages < 0:
		return errors.New("max-depth and max-pages must not be negative")
	case c.IdleWait < 0:
		return errors.New("idle-wait must not be negative")
	}
	return nil
}

// validateRecrawl checks how often pages and feeds are asked again.
func (c Config) validateRecrawl() error {
	switch {
	case c.Recrawl < 0 || c.Recrawl > 366*24*time.Hour || c.Recrawl > 0 && c.Recrawl < time.Minute:
		return fmt.Errorf("recrawl: %s is neither 0s nor between 1m and 8784h", c.Recrawl)
	case c.RecrawlMin < time.Minute || c.RecrawlMax < c.RecrawlMin || c.RecrawlMax > 366*24*time.Hour:
		return fmt.Errorf("recrawl-min, recrawl-max: %s to %s: at least 1m, at most 8784h, and in this order", c.RecrawlMin, c.RecrawlMax)
	case c.Recrawl > 0 && c.Recrawl < c.RecrawlMin:
		return fmt.Errorf("recrawl: no page would be fetched every %s, because of recrawl-min, which is %s: set --recrawl-min to %[1]s or less, too", c.Recrawl, c.RecrawlMin)
	case c.RecrawlShare < 1 || c.RecrawlShare > 100:
		return fmt.Errorf("recrawl-share: %d is not between 1 and 100", c.RecrawlShare)
	case c.RecrawlBy != "equal" && c.RecrawlBy != "score":
		return fmt.Errorf("recrawl-by: %q is none of equal, score", c.RecrawlBy)
	case c.FeedMin < time.Minute || c.FeedMax < c.FeedMin || c.FeedMax > 366*24*time.Hour:
		return fmt.Errorf("feed-min, feed-max: %s to %s: at least 1m, at most 8784h, and in this order", c.FeedMin, c.FeedMax)
	}
	return nil
}

// validateAddresses checks where this process listens and what it connects to.
func (c Config) validateAddresses() error {
	for _, a := range []struct{ name, value string }{{"listen", c.Listen}, {"peers", c.Peers}} {
		if err := checkAddress(a.name, a.value); err != nil && (a.value != "" || a.name == "listen") {
			return err
		}
	}
	for _, name := range c.ServeNames {
		if strings.ContainsAny(name, ":/ \t\r\n@") {
			return fmt.Errorf("serve-name: %q is no host name: write it like search.example.org, without scheme, port and path", name)
		}
	}
	_, _, err := c.cql()
	return err
}

// checkAddress returns an error if a setting is no address to listen on, or to be reached at.
func checkAddress(name, text string) error {
	_, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("%s: %q is not of the form HOST:PORT, such as 127.0.0.1:8080, with a port up to 65535", name, text)
	}
	return nil
}

// isName reports whether a text is a word that Kafka and robots.txt take for a name.
func isName(text string) bool {
	return text != "" && len(text) <= 200 && !strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
	})
}

// isContact reports whether a text is a mail address or the URL of a page.
func isContact(text string) bool {
	if u, err := url.Parse(text); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		return strings.Contains(u.Hostname(), ".")
	}
	a, err := mail.ParseAddress(strings.TrimPrefix(text, "mailto:"))
	return err == nil && a.Name == "" && strings.Contains(a.Address[strings.LastIndex(a.Address, "@")+1:], ".")
}

// ValidateFetch returns an error if a setting that fetching needs is missing.
func (c Config) ValidateFetch() error {
	if c.Contact == "" && !c.AllowPrivate {
		return errors.New("contact: a public crawl needs a URL or mail address where site owners reach you (--contact), or --allow-private for a test")
	}
	return nil
}

// setMember sets what a member of a group is told of itself and of its group.
func (c Config) setMember(s *streams.Config) {
	if c.Member != "" {
		s.Member, s.Static = c.Member, true
	}
	s.ConsumerProtocol = c.GroupProtocol == "consumer"
}

// Layout returns the partition counts. Provision decides the number of copies.
func (c Config) Layout() streams.Layout {
	l := streams.DefaultLayout(c.Embedded())
	if c.Partitions != 0 {
		l.PerHost = int32(c.Partitions)
	}
	if c.DocParts != 0 {
		l.PerSite = int32(c.DocParts)
	}
	return l
}

// ports returns the ports that may be connected to; nil if the setting is not a list of ports.
func (c Config) ports() []uint16 {
	var list []uint16
	for _, s := range c.Ports {
		n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 16)
		if err != nil || n == 0 {
			return nil
		}
		list = append(list, uint16(n))
	}
	return list
}

// cql parses the store's address.
func (c Config) cql() (hosts []string, keyspace string, err error) {
	if c.Store == "" {
		return nil, "", nil
	}
	if strings.Contains(c.Store, "@") {
		return nil, "", errors.New("store: no name or password in the address, where logs and lists of processes show it: " +
			"set --store-user, and --store-password-file or the variable MILLRACE_STORE_PASSWORD (or store-password in the config file)")
	}
	u, err := url.Parse(c.Store)
	if err != nil || u.Scheme != "cql" || u.Host == "" || strings.Trim(u.Path, "/") == "" {
		return nil, "", fmt.Errorf("store: %q is not of the form cql://host:port,host:port/keyspace", c.Store)
	}
	return strings.Split(u.Host, ","), strings.Trim(u.Path, "/"), nil
}
