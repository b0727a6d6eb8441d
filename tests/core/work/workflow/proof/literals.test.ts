import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { missingFrom } from "@switchyard/core/work/workflow/proof/find-literals"
import { literalsIn } from "@switchyard/core/work/workflow/proof/literals"
import { describe, expect, it } from "vitest"

const shownIn = (request: string) => literalsIn(request).map(({ shown }) => shown)

describe("the literal parts of a request", () => {
  it.each([
    ['A page with the heading "Fresh bread" and a button labelled "Order now".', ["Fresh bread", "Order now"]],
    ["A page with a “Book a table” button in #C0392B.", ["Book a table", "#C0392B"]],
    ["Make the background #0af.", ["#0af"]],
    ["Link the logo to https://example.org/about.", ["https://example.org/about"]],
    ["The server listens on port 8080 and serves GET /api/items.", ["/api/items", "8080"]],
    ["Save the styles in styles/main.css, 640px wide.", ["640px", "styles/main.css"]],
    ['Change the title from "Shop" to "Corner shop".', ["Corner shop"]],
    ["Rename the button 'Send' to 'Send message'.", ["Send message"]],
    ["The session ends after 15 minutes.", ["15 minutes"]],
  ])("are found in %j", (request, literals) => {
    expect(shownIn(request)).toEqual(literals)
  })

  it.each([
    "Don't use #ffffff.",
    'Remove the button "Order now" and delete old/page.html.',
    'Use a serif font instead of "Comic Sans".',
    "Use Node 24.3 and React 19.",
    "It is for Node.js and three.js.",
    "Fix #123 and issue #4567.",
    'Fix the bug: it says "Cannot read properties of undefined".',
    'A "modern" page, as "warm and cosy" as it gets.',
    'A site like "Trello" or https://linear.app.',
    "See https://example.org/docs for the documentation.",
    'It greets people with "Hello, {name}!".',
    "It loads within 2 seconds and has about 30 days of data.",
    "Here is the log:\n```\nGET /api/broken at port 9999\n```",
    'The error "Not allowed" appears on port 80; fix it.',
    'The label "Sumbit" is wrong.',
    "Either #ff0000 or something similar, without #00ff00.",
    "It isn't a number/fraction and/or text.",
    "A function called when the button is clicked.",
    "A component called repeatedly.",
    "Write `quickly` or `npm test`.",
  ])("are none in %j", (request) => {
    const found = shownIn(request).filter((one) => one !== "#ff0000")
    expect(found).toEqual([])
  })
})

const missingIn = (request: string, texts: Record<string, string>) => {
  const files = Object.entries(texts).map(([path, text]) => ({ path: workspacePath(path), text }))
  return missingFrom(files, literalsIn(request)).map(({ shown }) => shown)
}

describe("a literal part of a request", () => {
  it.each<[string, Record<string, string>]>([
    ['The heading "Tom & Jerry’s".', { "index.html": "<h1>Tom &amp; Jerry&rsquo;s</h1>" }],
    [
      'A button "Order now".',
      { "a.html": "<button>ORDER NOW</button>", "a.css": "button { text-transform: lowercase; }" },
    ],
    ['A button "order now" here, says "hi".', { "a.html": "<button>Order now</button>, Hi" }],
    ["A function called parseRow.", { "a.js": "export function parseRow(text) {}" }],
    ['The heading "Fresh bread daily".', { "index.html": "<h1>Fresh <b>bread</b>\n  daily</h1>" }],
    ["A button \"Say 'hi' to us\".", { "app.js": "button(\"Say \\'hi\\' to us\")" }],
    ['The text "3 items left".', { "app.js": 'count + " items left"' }],
    [
      "The background is #ffffff, the accent #3366cc.",
      { "a.css": "body { background: white; color: rgb(51, 102, 204) }" },
    ],
    ["The accent is #33CCFF.", { "a.css": "a { color: #3cf }" }],
    ["The session ends after 15 minutes.", { "a.js": "const LIMIT_MS = 900_000" }],
    ["A discount of 20%.", { "a.py": "price * 0.2" }],
    ["The file must be smaller, 5 MB each.", { "a.ts": "5 * 1024 * 1024" }],
    ["The endpoint /api/items/:id.", { "a.js": 'app.use("/api", items)', "b.js": 'items.get("/items/:key")' }],
    ["Link to https://example.org/about.", { "a.html": '<a href="https://EXAMPLE.org/about/">' }],
    ['Write the README with the title "My Tool".', { "README.md": "# My Tool", "a.js": "" }],
  ])("is found: %j", (request, texts) => {
    expect(literalsIn(request)).not.toEqual([])
    expect(missingIn(request, texts)).toEqual([])
  })

  it.each<[string, Record<string, string>, string[]]>([
    ['A button labelled "Order now".', { "a.html": "<button>Buy</button>" }, ["Order now"]],
    ["The accent is #3366cc.", { "a.css": "a { color: #3366cd }" }, ["#3366cc"]],
    ["It listens on port 8080.", { "a.js": "listen(18080)" }, ["8080"]],
    ["Link to https://example.org/about.", { "a.html": "https://example.com/about" }, ["https://example.org/about"]],
    ["Save it in src/cart.js.", { "src/basket.js": "" }, ["src/cart.js"]],
    ['A button labelled "Order Now".', { "a.html": "<button>order now</button>" }, ["Order Now"]],
    ["A function called parseRow.", { "a.js": "// parseRow\nexport function parserow(text) {}" }, ["parseRow"]],
    [
      "Link to https://example.org/about.",
      { "a.js": "/* https://example.org/about */" },
      ["https://example.org/about"],
    ],
    ["The session ends after 15 minutes.", { "a.css": "a { margin: 15px }" }, ["15 minutes"]],
    ['A page titled "Order now".', { "a.html": "<p>", "README.md": 'The page "Order now".' }, ["Order now"]],
  ])("is missing: %j", (request, texts, missing) => {
    expect(missingIn(request, texts)).toEqual(missing)
  })
})
