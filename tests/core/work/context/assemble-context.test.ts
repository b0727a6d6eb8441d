import { toFigures } from "@switchyard/core/work/chat/prompt/place-context"
import { assembleContext, type ContextParts } from "@switchyard/core/work/context/assemble-context"
import type { ContextItem, ItemKey, Tier } from "@switchyard/core/work/context/tiers"
import { describe, expect, it } from "vitest"

const item = (key: ItemKey, tier: Tier, text?: string): ContextItem => ({
  ...{ key, tier, n: 3, hash: "h", tokens: 10, hidden: false, ...(text !== undefined && { text }) },
})

const parts: ContextParts = {
  systemPrompt: "You edit.",
  legend: "c=class",
  state: {
    items: [
      item("symbol:a.ts", "L0", "\na.ts: ←2\nc A"),
      item("file:stable.md", "L0"),
      item("history:0", "L0"),
      item("history:1", "L0"),
      item("symbol:b.ts", "L1", "\nb.ts:\nc B"),
      item("file:one.ts", "L1"),
      item("file:two.ts", "L2"),
      item("history:11", "L3"),
      item("history:2", "L3"),
      { ...item("symbol:now.ts", "L3", "\nnow.ts:\nc N"), hidden: true },
      item("file:now.ts", "active"),
      item("file:fence.md", "active"),
      item("history:12", "active"),
      item("history:13", "active"),
    ],
  },
  files: new Map([
    ["stable.md", "S\n"],
    ["one.ts", "1"],
    ["two.ts", "2\n"],
    ["now.ts", "N\n"],
    ["fence.md", "````\nx\n````\n"],
  ]),
  history: new Map(
    [0, 1, 2, 11, 12, 13].map((at) => [at, { role: at % 2 ? "assistant" : "user", content: `said ${at}` }]),
  ),
  tree: ["b.ts", "a.ts"],
  pages: [
    { url: "https://a.example/", title: "A", text: "x".repeat(5000) },
    { url: "https://b.example/", title: "B", text: "short", map: "c B" },
  ],
  message: "Now?",
  minCachedTokens: 1,
}

describe("the messages of a request", () => {
  it("are these, byte for byte", () => {
    const { system, messages } = assembleContext(parts)
    expect(system).toBe(
      "You edit.\n\n# Repository Structure\n\nBelow is a map of the repository showing classes, functions, and their relationships.\nUse this to understand the codebase structure and find relevant code.\n\nc=class\n\na.ts: ←2\nc A\n\n# Reference Files (Stable)\n\nThese files are included for reference:\n\nstable.md\n```\nS\n```",
    )
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "said 0"],
      ["assistant", "said 1"],
      [
        "user",
        "# Repository Structure (continued)\n\n\nb.ts:\nc B\n\n# Reference Files\n\nThese files are included for reference:\n\none.ts\n```\n1\n```",
      ],
      ["assistant", "Ok."],
      ["user", "# Reference Files (L2)\n\nThese files are included for reference:\n\ntwo.ts\n```\n2\n```"],
      ["assistant", "Ok."],
      ["user", "said 2"],
      ["assistant", "said 11"],
      [
        "user",
        "# Repository Files\n\nComplete list of files in the repository:\n\n# File Tree (2 files)\n\na.ts\nb.ts",
      ],
      ["assistant", "Ok."],
      [
        "user",
        `# URL Context\n\nThe following content was fetched from URLs mentioned in the conversation:\n\n## https://a.example/\n**A**\n\n${"x".repeat(4000)}\n---\n## https://b.example/\n**B**\n\nshort\n\n### Symbol Map\n\n\`\`\`\nc B\n\`\`\``,
      ],
      ["assistant", "Ok, I've reviewed the URL content."],
      [
        "user",
        "# Working Files\n\nHere are the files:\n\nfence.md\n`````\n````\nx\n````\n`````\n\nnow.ts\n```\nN\n```",
      ],
      ["assistant", "Ok."],
      ["user", "said 12"],
      ["assistant", "said 13"],
      ["user", "Now?"],
    ])
  })

  it("are marked at the end of each tier that has anything, and on the system prompt only where L0 has no conversation", () => {
    expect(assembleContext(parts).marks).toEqual([1, 3, 5, 7])
    const items = parts.state.items.filter(({ key }) => !key.startsWith("history:"))
    expect(assembleContext({ ...parts, state: { items } }).marks).toEqual([-1, 1, 3])
  })

  it("are cached up to the last tiers, up to the working files, and whole", () => {
    expect(assembleContext(parts).cacheAfter).toEqual([5, 7, 11, 16])
    expect(assembleContext({ ...parts, rewritten: ["L1", "L2", "L3"] }).cacheAfter).toEqual([3, 5, 11, 16])
    expect(assembleContext({ ...parts, rewritten: ["L2", "L3"] }).cacheAfter).toEqual([5, 7, 11, 16])
    expect(assembleContext({ ...parts, tree: [], pages: [] }).cacheAfter).toEqual([3, 5, 7, 12])
    expect(assembleContext({ ...parts, minCachedTokens: 100_000 }).cacheAfter).toEqual([])
    const untiered = { ...parts, legend: "", state: { items: [] } }
    expect(assembleContext({ ...untiered, minCachedTokens: 100 }).cacheAfter).toEqual([3, 4])
    const edited = { ...parts, files: new Map([...parts.files, ["now.ts", "other\n"]]) }
    const upToWork = (given: ContextParts) => assembleContext(given).messages.slice(0, 12)
    expect(upToWork(edited)).toEqual(upToWork(parts))
  })

  it("have no mark on what is too short, and none where a provider takes none", () => {
    expect(assembleContext({ ...parts, minCachedTokens: 100 }).marks).toEqual([3, 5, 7])
    expect(assembleContext({ ...parts, minCachedTokens: 1024 }).marks).toEqual([])
    expect(assembleContext({ ...parts, minCachedTokens: undefined }).marks).toEqual([])
  })

  it("are as few as there are parts", () => {
    const { system, messages } = assembleContext({
      ...parts,
      ...{
        legend: "",
        state: { items: [] },
        tree: [],
        pages: [],
        images: [{ path: "artifacts/1", size: 1, media_type: "image/png" }],
      },
    })
    expect(system).toBe("You edit.")
    expect(messages).toEqual([
      { role: "user", content: "Now?", images: [{ path: "artifacts/1", size: 1, media_type: "image/png" }] },
    ])
  })

  it("are told as figures", () => {
    const changes = [
      { key: "file:two.ts", from: "L3", to: "L2" },
      { key: "file:now.ts", from: "L1", to: "active" },
    ] as const
    const advanced = { state: parts.state, changes: [...changes], broken: [] }
    const figures = toFigures(assembleContext(parts), advanced, { leftOut: 0, rebuilt: null })
    expect(
      figures.tiers.map(({ tier, cached, threshold, contents }) => [tier, cached, threshold, contents.length]),
    ).toEqual([
      ["L0", true, null, 3],
      ["L1", true, 12, 2],
      ["L2", true, 9, 1],
      ["L3", true, 6, 1],
      ["active", false, 3, 2],
    ])
    expect(figures.promotions.map(({ key }) => key)).toEqual(["file:two.ts"])
    expect(figures.demotions.map(({ key }) => key)).toEqual(["file:now.ts"])
  })
})
