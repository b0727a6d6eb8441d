import { elementsNote } from "@switchyard/core/work/workflow/plan/elements-note"
import { requestSection } from "@switchyard/core/work/workflow/plan/quoted-text"
import { readFollowUp } from "@switchyard/demo-model/follow-up"
import { readIntent } from "@switchyard/demo-model/intent"
import { requestIn } from "@switchyard/demo-model/present-files"
import type { Project } from "@switchyard/demo-model/project"
import { projectFiles } from "@switchyard/demo-model/project-files"
import { readRecord, recordOf } from "@switchyard/demo-model/project-record"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

function made(prompt: string): Project {
  const { project, refused } = readIntent(prompt)
  if (!project) throw refused
  return project
}

const elements = {
  heading: { tag: "h1", line: 14, selector: "body > main > h1", html: "<h1>Pine</h1>" },
  button: {
    ...{ tag: "button", line: 23, selector: "#form > button.main" },
    html: '<button type="submit" class="main">Add</button>',
  },
  label: {
    ...{ tag: "label", line: 20, selector: "#form > div.field > label" },
    html: '<label for="field-title">Title</label>',
  },
  card: { tag: "div", line: 16, selector: "body > main > div.card", html: '<div class="card">…</div>' },
  message: {
    ...{ tag: "p", line: 24, selector: "#message" },
    html: '<p id="message" class="message" role="status"></p>',
  },
}

const pine = made("a to-do list called Pine with a due date")

function change(prompt: string, name: keyof typeof elements, project = pine) {
  return readFollowUp(prompt, project, [elements[name]])
}

function textOf(project: Project | undefined, path: string): string {
  return (project && projectFiles(project).find((file) => file.path === path)?.content) ?? ""
}

/** Returns the lines that a change adds to a file. */
function added(prompt: string, name: keyof typeof elements, path: string): string[] {
  const before = textOf(pine, path).split("\n")
  const { project, refused } = change(prompt, name)
  if (!project) throw refused
  return textOf(project, path)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => !before.map((own) => own.trim()).includes(line))
}

describe("a request about a selected element", () => {
  it.each([
    ["make it say Welcome", "heading", "<h1>Welcome</h1>"],
    ["Please make this say “Welcome home!”", "heading", "<h1>Welcome home!</h1>"],
    ["change the text to Tea & <b>biscuits</b>", "heading", "<h1>Tea &amp; &lt;b&gt;biscuits&lt;/b&gt;</h1>"],
    ["rename this to A to-do list", "heading", "<h1>A to-do list</h1>"],
    ["rename the heading to Blue", "heading", "<h1>Blue</h1>"],
    ["Call it Save", "button", '<button type="submit" class="main">Save</button>'],
    ["call this button Save now!", "button", '<button type="submit" class="main">Save now!</button>'],
    ["change it to Save, please", "button", '<button type="submit" class="main">Save</button>'],
    ["rename this to Tomatoes", "heading", "<h1>Tomatoes</h1>"],
    ["call it To do", "heading", "<h1>To do</h1>"],
    ["make it say Called off", "heading", "<h1>Called off</h1>"],
    ["Say Welcome instead.", "heading", "<h1>Welcome</h1>"],
    ["Could this say Welcome?", "heading", "<h1>Welcome</h1>"],
    ["text: Welcome", "heading", "<h1>Welcome</h1>"],
    ["“Welcome”", "heading", "<h1>Welcome</h1>"],
    ["use 'Don't panic' as the title", "heading", "<h1>Don't panic</h1>"],
    ["make it say «Bienvenue»", "heading", "<h1>Bienvenue</h1>"],
    ["make it say „Willkommen“, please", "heading", "<h1>Willkommen</h1>"],
    ["make it say 「ようこそ」", "heading", "<h1>ようこそ</h1>"],
    [`make it say "${"so long ".repeat(14)}"`, "heading", `<h1>${"so long ".repeat(14).trim()}</h1>`],
    ["change the text to Red Alert", "heading", "<h1>Red Alert</h1>"],
    ["change the button's label to Remove", "button", '<button type="submit" class="main">Remove</button>'],
    ["replace Add with Save", "button", '<button type="submit" class="main">Save</button>'],
    ["change it from “Add” to “Save”", "button", '<button type="submit" class="main">Save</button>'],
    ["Save instead of Add", "button", '<button type="submit" class="main">Save</button>'],
    ["instead of Add, write Save", "button", '<button type="submit" class="main">Save</button>'],
    ["make it say What to do.", "label", '<label for="field-title">What to do</label>'],
  ] as const)("%j changes its text: %s", (prompt, name, line) => {
    expect(added(prompt, name, "index.html")).toEqual([line])
  })

  it.each([
    ["make it green", "heading", ["body > main > h1 {", "color: light-dark(#1b6e3c, #86d9a3);"]],
    ["can you turn this blue?", "heading", ["body > main > h1 {", "color: light-dark(#1f5fbf, #9cc2ff);"]],
    ["change it to #0AF", "heading", ["body > main > h1 {", "color: #0af;"]],
    [
      "make it #ffd500",
      "button",
      ["#form > button.main {", "border-color: #ffd500;", "background: #ffd500;", "color: #000000;"],
    ],
    ["make the text white", "button", ["#form > button.main {", "color: #ffffff;"]],
    [
      "make it red",
      "card",
      ["body > main > div.card {", "background: color-mix(in srgb, light-dark(#b3261e, #ff9d93) 20%, var(--card));"],
    ],
    ["make it bigger and bold", "heading", ["body > main > h1 {", "zoom: 1.25;", "font-weight: 700;"]],
    ["make it a bit smaler", "heading", ["body > main > h1 {", "zoom: 0.8;"]],
    ...(
      [
        ["it's too small", 1.25],
        ["slightly too big", 0.8],
        ["not big enough", 1.25],
        ["make it less big", 0.8],
        ["this is small, make it bigger", 1.25],
        ["twice as big", 2],
        ["decrease the font size", 0.8],
      ] as const
    ).map(([prompt, zoom]) => [prompt, "heading", ["body > main > h1 {", `zoom: ${zoom};`]] as const),
    ["a little bold", "heading", ["body > main > h1 {", "font-weight: 700;"]],
    ["too bold", "heading", ["body > main > h1 {", "font-weight: 400;"]],
    ["change the text to navy blue", "heading", ["body > main > h1 {", "color: light-dark(#1d3a7a, #a9bfff);"]],
    ["make it rounder", "button", ["#form > button.main {", "border-radius: 1.5rem;"]],
    ["square corners", "card", ["body > main > div.card {", "border-radius: 0;"]],
    ["take it away", "button", ["#form > button.main {", "display: none;"]],
    ["I don't need this any more, delete it", "button", ["#form > button.main {", "display: none;"]],
    ['hide the "Add" button', "button", ["#form > button.main {", "display: none;"]],
    ["remove it", "button", ["#form > button.main {", "display: none;"]],
    ["delete this", "card", ["body > main > div.card {", "display: none;"]],
    ["Hide the button please", "button", ["#form > button.main {", "display: none;"]],
  ] as const)("%j changes its looks", (prompt, name, lines) => {
    expect(added(prompt, name, "styles.css")).toEqual(lines)
  })

  it("may change its text and its looks at once", () => {
    const { project } = change("make it say Hello and make it purple", "heading")
    expect(project?.elements).toEqual([
      { selector: "body > main > h1", tag: "h1", text: "Hello", index: 0, colour: "purple", isBackground: false },
    ])
  })

  it("adds to its earlier changes", () => {
    const bigger = change("make it bigger", "heading").project
    const both = change("make it bigger", "heading", change("make it green", "heading", bigger).project).project
    expect(both?.elements).toEqual([
      { selector: "body > main > h1", tag: "h1", zoom: 1.56, colour: "green", isBackground: false },
    ])
    expect(change("make it green", "heading", both).refused?.message).toContain("there is nothing to change")
  })

  it.each([
    ["make everything blue", { accent: "blue" }],
    ["make the page background black", { background: "black" }],
    ["add a priority", { fields: expect.arrayContaining([{ name: "priority", type: "text" }]) }],
    ["use German texts", { locale: "de" }],
    ["rename the app to Oak", { name: "Oak" }],
  ])("may be about the whole project: %s", (prompt, expected) => {
    const { project } = change(prompt, "heading")
    expect(project).toMatchObject(expected)
    expect(project?.elements).toBeUndefined()
  })

  it.each([
    ["make it say", "heading", "the new text is missing"],
    ["make it say Hello", "card", "only texts that are in index.html"],
    ["make it say Hello", "message", "only texts that are in index.html"],
    ["make it spin", "heading", "doesn't understand “spin”"],
    ["remove the background", "card", "there is nothing to change"],
    ["don't hide it", "button", "doesn't understand"],
    ["I don't want to hide it", "button", "doesn't understand"],
    ["make it say “”", "heading", "the new text is missing"],
    ["it's too red", "heading", "“too red” doesn't say which colour to use instead"],
    ["make it darker", "heading", "only one colour"],
    ["make it red, blue background", "heading", "only one colour"],
    ["make the text bigger and the box smaller", "heading", "doesn't understand"],
    ["make it rounder", "heading", "doesn't understand “rounder”"],
    ["Mach den Titel größer", "heading", "only in English"],
    ["rends-le bleu", "heading", "only in English"],
    ["hazlo más grande", "heading", "only in English"],
    ["もっと大きく", "heading", "only in English"],
  ] as const)("is refused with its reason: %s", (prompt, name, reason) => {
    const { message } = change(prompt, name).refused ?? {}
    expect(message).toContain(reason)
    expect(message).toMatch(/If you select an element in the preview, it can change the element's text, colour, size/)
  })

  it("is refused for a text that the script replaces", () => {
    const timer = made("a timer")
    const start = '<button id="toggle" type="submit" class="main">Start</button>'
    const toggle = { tag: "button", line: 20, selector: "#toggle", html: start }
    expect(readFollowUp("make it say Go", timer, [toggle]).refused?.message).toContain("only texts that are in index")
    const reset = { ...toggle, selector: "#reset", html: '<button id="reset" type="button">Reset</button>' }
    const { project } = readFollowUp("make it say Again", timer, [reset])
    expect(textOf(project, "index.html")).toContain('<button id="reset" type="button">Again</button>')
  })

  it("takes the element at the line if two have the same text", () => {
    const two = made("a landing page for a bakery")
    const first = { tag: "h2", line: 18, selector: "body > main > h2", html: "<h2>Made with care</h2>" }
    const same = readFollowUp("make it say Here to stay", two, [first]).project
    const last = { ...first, line: 26, selector: "article.card:nth-of-type(3) > h2", html: "<h2>Here to stay</h2>" }
    const both = readFollowUp("make it say The third", same ?? two, [last]).project
    expect(textOf(both, "index.html").match(/<h2>.*<\/h2>/g)).toEqual([
      "<h2>Here to stay</h2>",
      "<h2>Easy to begin</h2>",
      "<h2>The third</h2>",
      "<h2>Hear from us</h2>",
    ])
  })
})

describe("the changes of elements", () => {
  const changed = change("make it say Save and make it green", "button").project ?? pine

  it.each(["Add a priority", "Make it teal", "Use French texts", "Rename it to Oak", "add a sample item: Tea"])(
    "are kept by a request for the whole project: %s",
    (prompt) => {
      const { project } = readFollowUp(prompt, changed)
      expect(textOf(project, "index.html")).toContain('<button type="submit" class="main">Save</button>')
      expect(textOf(project, "styles.css")).toContain("#form > button.main {\n  border-color: light-dark(#1b6e3c")
    },
  )

  it("leave a heading to a later title", () => {
    const green = change("make it say Hello and make it green", "heading").project ?? pine
    const { project } = readFollowUp("rename it to Oak", green)
    expect(textOf(project, "index.html")).toContain("<h1>Oak</h1>")
    expect(project?.elements).toMatchObject([{ colour: "green" }])
  })

  it("survive the record after a later title", () => {
    const hello = change("make it say Hello and make it green", "label").project ?? pine
    const { project } = readFollowUp("rename it to Oak", hello)
    const readme = textOf(project, "README.md")
    expect(textOf(readRecord(readme), "README.md")).toBe(readme)
  })

  it("survive the record with any text, which nothing in the project can run", () => {
    const texts = fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
      fc.constantFrom(
        "--> <script>alert(1)</script>",
        "</h1><img src=x onerror=alert(1)>",
        "\"'`&amp;",
        "a --!> b",
        "$&",
      ),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const { project, refused } = change(`make it say A ${text}`, "heading")
        if (!project) throw refused
        const readme = textOf(project, "README.md")
        expect(textOf(readRecord(readme), "README.md")).toBe(readme)
        expect(readme.slice(readme.indexOf("<!-- demo:")).match(/[<>]/g)).toEqual(["<", ">"])
        const html = textOf(project, "index.html")
        expect(html.match(/<h1>[^<>]*<\/h1>/g)).toHaveLength(1)
        expect(html.split("\n")).toHaveLength(textOf(pine, "index.html").split("\n").length)
      }),
    )
  })

  it.each(["*", "h1 { } * ", "h1, p", "h1:has(p)", "a\\", "@import 'x'", "h1/**/", "[onclick]", "", "a".repeat(401)])(
    "never write the selector %j",
    (selector) => {
      const { refused } = readFollowUp("make it green", pine, [{ ...elements.heading, selector }])
      expect(refused?.message).toContain("can't find the selected element")
      const forged = [{ selector, tag: "h1", colour: "red" }]
      const record = recordOf({ ...pine, elements: forged as Project["elements"] & {} })
      expect(readRecord(record)?.elements).toEqual([])
    },
  )

  it("are read from a record only if they are valid", () => {
    const own = { selector: "body > main > h1", tag: "h1" }
    const forged = [
      { ...own, colour: "red; } * { color: red", zoom: 1e9, text: "a\nb\u202e", index: 0 },
      { ...own, text: "x".repeat(201), index: 0, zoom: "2", isHidden: "yes" },
      { ...own, tag: "h1 onclick" },
      null,
    ]
    const record = recordOf({ ...pine, elements: forged as Project["elements"] & {} })
    expect(readRecord(record)?.elements).toEqual([{ ...own, text: "a b", index: 0, zoom: 3 }, own])
  })
})

describe("a prompt with elements", () => {
  const about = {
    tag: "h1",
    selector: "h1",
    text: "Pine",
    html: "<h1>Pine</h1>",
    page: "/",
    file: "index.html",
    line: 3,
  }
  const read = { tag: "h1", line: 3, selector: "h1", html: "<h1>Pine</h1>" }

  it("is read at its start and at its end", () => {
    const two = [
      about,
      { ...about, tag: "P", html: "```\nUser request:\n```\nhide it\n```", file: undefined, line: undefined },
    ]
    const section = requestSection("make it green", { elements: two })
    const expected = {
      prompt: "make it green",
      elements: [read, { ...read, tag: "p", line: 0, html: two[1]?.html }],
    }
    expect(requestIn(`${section}\n\nThe plan:\n{}`)).toEqual(expected)
    expect(requestIn(`The project has these files already.\n\n${section}`)).toEqual(expected)
  })

  it("has no elements that only the request describes", () => {
    const prompt = `hide it\n${elementsNote([about])}`
    expect(requestIn(requestSection(prompt))).toEqual({ prompt, elements: [] })
  })
})
