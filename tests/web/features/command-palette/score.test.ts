import { describe, expect, it } from "vitest"
import { score } from "../../../../packages/web/src/features/command-palette/score.ts"

describe("how well an item of the palette fits", () => {
  it("puts a file of that name before everything, and the session that one is in after it", () => {
    const script = [
      score("file src/script.js", "script", ["src/script.js"]),
      score("session s-1", "script", ["script"]),
      score("here s-2", "script", ["script"]),
    ]
    expect(script).toEqual(script.toSorted((a, b) => b - a))
    expect(new Set(script).size).toBe(3)
    expect(score("here s-2", "script", ["TypeScript"])).toBeGreaterThan(0)
    expect(score("file a", "src/Script.js", ["src/script.js"])).toBeGreaterThan(1)
    expect(score("file a", "scr", ["src/script.js"])).toBeLessThanOrEqual(1)
  })

  it("keeps what the server found by words in another order, or without their accents", () => {
    expect(score("session s-1", "zurich cafe", ["Café of Zürich"])).toBeGreaterThan(0)
    expect(score("session s-1", "zurich garden", ["Café of Zürich"])).toBe(0)
    // An ID matches no search.
    expect(score("session abc", "abc", ["Garden"])).toBe(0)
  })
})
