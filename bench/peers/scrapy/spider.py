"""A Scrapy spider for bench/peers: seeds into JSON lines of title, text, links."""

import scrapy
from scrapy.linkextractors import LinkExtractor


class Peer(scrapy.Spider):
    name = "peer"

    def __init__(self, seeds, **kwargs):
        super().__init__(**kwargs)
        with open(seeds) as f:
            self.seeds = f.read().split()
        self.extractor = LinkExtractor()

    async def start(self):
        # start_urls are exempt from the filter: each would be fetched twice.
        for url in self.seeds:
            yield scrapy.Request(url)

    def parse(self, response):
        if not isinstance(response, scrapy.http.HtmlResponse):
            return
        links = [link.url for link in self.extractor.extract_links(response)]
        yield {
            "url": response.url,
            "title": response.xpath("//title/text()").get(),
            "text": " ".join(response.xpath("//body//text()").getall()),
            "links": links,
        }
        for url in links:
            yield scrapy.Request(url)
