import { editPage } from "@switchyard/functions/previews/opaque/edit-page"
import { editStyles } from "@switchyard/functions/previews/opaque/edit-styles"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const edited = (html: string) => editPage(html, "/T/").html

describe("a page for an address below the root of its host", () => {
  it.each([
    ['<script src="/app.js"></script>', '<script crossorigin src="/T/app.js"></script>'],
    ["<SCRIPT SRC=/a/></SCRIPT>", "<SCRIPT crossorigin SRC=/T/a/></SCRIPT>"],
    ['<link rel=stylesheet href="a.css"/>', '<link crossorigin rel=stylesheet href="a.css"/>'],
    ['<img src = "/a.png" crossorigin="anonymous">', '<img src = "/T/a.png" crossorigin="anonymous">'],
    ['<img srcset="/a.png 1x, /b.png 2x,c.png 3x">', '<img srcset="/T/a.png 1x, /T/b.png 2x,c.png 3x">'],
    ['<a href="/">Home</a><a href="#top">Up</a>', '<a href="/T/">Home</a><a href="#top">Up</a>'],
    ['<base href="/"><form action="/find">', '<base href="/T/"><form action="/T/find">'],
    ['<p style="background: url(/a.png)">', '<p style="background: url(/T/a.png)">'],
    ["<style>a { b: url('/c') }</style>", "<style>a { b: url('/T/c') }</style>"],
  ])("has its own files there: %s", (html, expected) => expect(edited(html)).toBe(expected))

  it.each([
    '<script src="https://elsewhere.example/a.js"></script>',
    '<script src="//elsewhere.example/a.js"></script>',
    '<link rel="icon" href="data:,">',
    '<script>const a = `<img src="/a.png">`</script>',
    '<!-- <img src="/a.png"> --><textarea><img src="/a.png"></textarea>',
    '<p title="/a">href="/a"</p>',
  ])("leaves alone what is none: %s", (html) => expect(edited(html)).toBe(html))

  it("has its own map of modules extended, in as many lines, and says whether it has one", () => {
    const { html, hasImportMap } = editPage('<script type="importmap">\n{\n"imports": {"a": "/a.js"}}</script>', "/T/")
    expect(hasImportMap).toBe(true)
    expect(html.split("\n")).toHaveLength(3)
    const [, map = ""] = />([^<]*)</.exec(html) ?? []
    expect(JSON.parse(map)).toEqual({ imports: { "/": "/T/", "/T/": "/T/", a: "/T/a.js" } })
    const broken = '<script type="importmap">{</script>'
    expect(editPage(broken, "/T/").html).toBe(broken)
    expect(editPage("<p>importmap</p>", "/T/").hasImportMap).toBe(false)
  })

  it("keeps its lines, whatever it is", () => {
    const part = fc.constantFrom(
      "<script",
      ' src="/a"',
      ">",
      "</script>",
      "<style>",
      "url(/",
      "'",
      '"',
      "<!--",
      "-->",
      "\n",
      "/",
      "é",
    )
    fc.assert(
      fc.property(
        fc.array(part).map((parts) => parts.join("")),
        (html) => {
          expect(edited(html).split("\n")).toHaveLength(html.split("\n").length)
        },
      ),
    )
  })
})

describe("its styles", () => {
  it.each([
    ["@import '/a.css';", "@import '/T/a.css';"],
    ['@font-face { src: url( "/a.woff2" ) }', '@font-face { src: url( "/T/a.woff2" ) }'],
    ["a { b: url(//elsewhere.example/c) }", "a { b: url(//elsewhere.example/c) }"],
    ["a { b: url(c/d) }", "a { b: url(c/d) }"],
  ])("find their files there: %s", (css, expected) => expect(editStyles(css, "/T/")).toBe(expected))
})
