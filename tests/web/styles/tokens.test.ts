import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const css = readFileSync(fileURLToPath(new URL("../../../packages/web/src/styles/tokens.css", import.meta.url)), "utf8")

describe("the colours", () => {
  const light = tokensOf("@theme static {")
  const dark = tokensOf("@variant dark {")

  it("have each a dark one, for all that is a colour", () => {
    const colours = Object.keys(light).filter((name) => light[name]?.startsWith("#"))
    expect(Object.keys(dark).filter((name) => name.startsWith("--"))).toEqual(colours)
  })

  it("are the dark ones for whoever chose it and for whoever's system did", () => {
    expect(css).toMatch(
      /@custom-variant dark \{\s*&\[data-theme="dark"\] \{\s*@slot;\s*\}\s*@media \(prefers-color-scheme: dark\) \{\s*&\[data-theme="system"\] \{\s*@slot;/,
    )
  })

  it.each([
    ["light", light],
    ["dark", dark],
  ])("can be told apart: %s", (_, tokens) => {
    const text = [
      "--color-ink",
      "--color-ink-2",
      "--color-ink-3",
      "--color-accent",
      "--color-need",
      "--color-ok",
      "--color-err",
      "--color-info",
    ]
    for (const ground of ["--color-paper", "--color-sheet", "--color-well"]) {
      for (const name of text)
        expect(contrast(tokens, name, ground), `${name} on ${ground}`).toBeGreaterThanOrEqual(4.5)
      for (const name of ["--color-strong", "--color-plum", "--color-rose"])
        expect(contrast(tokens, name, ground), `${name} on ${ground}`).toBeGreaterThanOrEqual(3)
    }
    expect(contrast(tokens, "--color-sheet", "--color-accent")).toBeGreaterThanOrEqual(4.5)
    expect(contrast(tokens, "--color-sheet", "--color-accent-hover")).toBeGreaterThanOrEqual(4.5)
    for (const ground of ["--color-accent-bg", "--color-need-bg", "--color-err-bg", "--color-add-bg", "--color-del-bg"])
      expect(contrast(tokens, "--color-ink", ground), ground).toBeGreaterThanOrEqual(4.5)
  })
})

type Tokens = Record<string, string>

/** Returns the declarations of a CSS rule, by name. */
function tokensOf(selector: string): Tokens {
  const rule = css.slice(css.indexOf(selector) + selector.length).split("}")[0] ?? ""
  return Object.fromEntries([...rule.matchAll(/([\w-]+): ([^;]+);/g)].map(([, name, value]) => [name, value]))
}

/** Returns the contrast ratio of two colors as WCAG defines it. */
function contrast(tokens: Tokens, one: string, other: string): number {
  const [dark = 0, light = 0] = [one, other].map((name) => luminance(tokens[name] ?? "")).sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
