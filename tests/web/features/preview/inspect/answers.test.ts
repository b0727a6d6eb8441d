import { ELEMENT_LIMITS } from "@switchyard/core/work/workflow/element-limits-schema"
import { PageElement } from "@switchyard/core/work/workflow/elements-schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { toElement, toPickedElement } from "../../../../../packages/web/src/features/preview/inspect/answers.ts"

const box = { x: 1, y: 2, width: 3, height: 4 }
const hovered = { id: 7, tag: "button", label: "main > button", box }
const picked = {
  ...hovered,
  text: " Buy\n now ",
  html: "<button>Buy now</button>",
  page: "/",
  path: [
    { tag: "html", index: 0 },
    { tag: "button", index: 2 },
  ],
  attributes: [["class", "buy"]],
  source: { file: "/home/a/src/App.tsx", line: 3 },
}

describe("a page's answer", () => {
  it("is the element that was asked about", () => {
    expect(toElement(hovered, 7)).toEqual({ tag: "button", selector: "main > button", box })
    expect(toPickedElement(picked, 7)).toEqual({
      ...{ tag: "button", selector: "main > button", box, text: "Buy now", html: picked.html, page: "/" },
      ...{ path: picked.path, attributes: new Map([["class", "buy"]]), source: picked.source },
    })
  })

  it.each([
    null,
    "button",
    [],
    { id: 7 },
    { ...hovered, id: 6 },
    { ...hovered, id: "7" },
    { ...hovered, tag: "<script>" },
    { ...hovered, tag: "a".repeat(61) },
    { ...hovered, tag: "p\np" },
    { ...hovered, box: { ...box, x: Number.NaN } },
    { ...hovered, box: { ...box, width: 1e12 } },
    { ...hovered, box: null },
  ])("isn't %j", (other) => expect(toElement(other, 7)).toBeUndefined())

  it.each(["javascript:alert(1)", "https://elsewhere.example/", "", undefined])("isn't of the page %j", (page) => {
    expect(toPickedElement({ ...picked, page }, 7)).toMatchObject({ page: "/" })
  })

  it("is bounded text without control characters, whatever a page sends", () => {
    const field = fc.oneof(fc.anything({ maxDepth: 2 }), fc.string({ unit: "binary", maxLength: 5000 }))
    const odd = fc.record({
      ...{ id: fc.constant(7), tag: fc.constant("p"), label: field, box: fc.constant(box), text: field, html: field },
      ...{ page: field, path: field, attributes: field, source: field },
    })
    fc.assert(
      fc.property(odd, (answer) => {
        const element = toPickedElement(answer, 7)
        if (!element) throw new Error("It was refused.")
        const { path: _, attributes: _a, source: _s, box: _b, ...sent } = element
        expect(PageElement.parse(sent)).toEqual(sent)
        expect(JSON.stringify(sent)).not.toMatch(/\u202e|\\u0000|\\u001b/)
      }),
    )
  })

  it("is cut, however long it is", () => {
    const long = "a".repeat(1e6)
    const sent = { ...picked, label: long, text: long, html: long, page: `/${long}`, source: { file: long } }
    const attributes = Array.from({ length: 1000 }, (_, at) => [`a${at}`, long])
    const element = toPickedElement({ ...sent, attributes, path: Array(1000).fill({ tag: "p", index: 0 }) }, 7)
    expect(element?.selector).toHaveLength(ELEMENT_LIMITS.selector)
    expect([element?.text.length, element?.html.length]).toEqual([ELEMENT_LIMITS.text, ELEMENT_LIMITS.html])
    expect([element?.path, element?.source, element?.attributes.size]).toEqual([[], null, 30])
    expect(element?.attributes.get("a0")).toHaveLength(500)
    expect(toPickedElement({ ...picked, html: "<b>\u202e\u0000\u001b[1mx\ny" }, 7)?.html).toBe("<b>[1mx\ny")
  })
})
