import { describe, expect, it } from "vitest"
import type { PickedElement } from "../../../../../packages/web/src/features/preview/inspect/answers.ts"
import { locateElement } from "../../../../../packages/web/src/features/preview/inspect/locate-element.ts"

const files = new Map([
  [
    "src/App.tsx",
    'export const App = () => (\n  <main id="app">\n    <p className="note">Take this</p>\n  </main>\n)\n',
  ],
  ["src/Other.tsx", 'export const Other = () => <p className="note">Take that</p>\n'],
  ["src/Other.test.tsx", 'expect(screen.getByText("Take that")).toBeVisible()\n'],
  ["README.md", "Take this\n"],
])
const element = (fields: Partial<PickedElement>): PickedElement => ({
  ...{ tag: "p", selector: "p", box: { x: 0, y: 0, width: 1, height: 1 }, text: "", html: "<p></p>", page: "/" },
  ...{ path: [], attributes: new Map(), source: null, ...fields },
})
const place = (fields: Partial<PickedElement>) => locateElement(element(fields), files, { isServer: false })

describe("the place of an element", () => {
  it.each([
    ["src/App.tsx", 3, { file: "src/App.tsx", line: 3 }],
    ["/tmp/build/src/App.tsx", 3, { file: "src/App.tsx", line: 3 }],
    ["C:\\work\\src\\App.tsx", 1, { file: "src/App.tsx", line: 1 }],
    ["webpack:///./src/App.tsx?1a", undefined, { file: "src/App.tsx" }],
    ["src/App.tsx", 900, { file: "src/App.tsx" }],
  ])("is what a framework reports: %s, line %s", (file, line, found) =>
    expect(place({ source: { file, line } })).toEqual(found),
  )

  it("is in the file with the longest path that fits the reported one", () => {
    const both = new Map([...files, ["App.tsx", "a\n"]])
    const source = { file: "/tmp/build/src/App.tsx", line: 2 }
    expect(locateElement(element({ source }), both, { isServer: false })).toEqual({ file: "src/App.tsx", line: 2 })
  })

  it.each(["../../etc/passwd", "/etc/passwd", "../src/App.tsx", "/data/ses_2/secret.txt", "App.tsx", "", "/"])(
    "isn't %s, because the session has no such file",
    (file) => expect(place({ source: { file, line: 1 } })).toBeUndefined(),
  )

  it("is the only one that has its id, text or classes", () => {
    expect(place({ attributes: new Map([["id", "app"]]) })).toEqual({ file: "src/App.tsx", line: 2 })
    expect(place({ text: "Take that", attributes: new Map([["class", "note"]]) })).toEqual({
      file: "src/Other.tsx",
      line: 1,
    })
    expect(place({ attributes: new Map([["class", "note"]]) })).toBeUndefined()
    expect(place({ text: "Take" })).toBeUndefined()
    expect(place({ text: "p" })).toBeUndefined()
  })
})
