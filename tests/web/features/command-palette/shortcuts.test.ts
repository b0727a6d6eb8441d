import { describe, expect, it } from "vitest"
import { isMac, keyLabels, shortcuts } from "../../../../packages/web/src/features/command-palette/shortcuts.ts"

describe("the keys", () => {
  it("has each once, for one thing", () => {
    expect(new Set(shortcuts.map(({ keys }) => keys)).size).toBe(shortcuts.length)
    const ids = shortcuts.flatMap(({ id }) => id ?? [])
    expect(new Set(ids).size).toBe(ids.length)
    expect(new Set(shortcuts.map(({ does }) => does)).size).toBe(shortcuts.length)
  })

  it("calls a key single if it is pressed without another one, for those can be switched off", () => {
    for (const { keys, single } of shortcuts) {
      const bare = keys.split(" ").every((key) => key.length === 1 || key === "space")
      expect(single ?? false, keys).toBe(bare)
    }
  })

  it("never has a key that begins a pair as a key of its own", () => {
    const first = shortcuts.filter(({ keys }) => keys.includes(" ")).map(({ keys }) => keys.split(" ")[0])
    expect(shortcuts.filter(({ keys }) => first.includes(keys))).toEqual([])
  })

  it.each([
    ["mod+enter", [["Ctrl", "Enter"]], [["⌘", "↵"]]],
    ["g h", [["G"], ["H"]], [["G"], ["H"]]],
    ["shift+F6", [["Shift", "F6"]], [["⇧", "F6"]]],
    ["mod+.", [["Ctrl", "."]], [["⌘", "."]]],
    ["space", [["Space"]], [["Space"]]],
  ])("prints %s as it stands on the keyboard", (keys, here, onMac) => {
    expect(keyLabels(keys, false)).toEqual(here)
    expect(keyLabels(keys, true)).toEqual(onMac)
  })

  it("knows a Mac by its platform", () => {
    expect(["MacIntel", "iPhone", "Linux x86_64", "Win32"].map(isMac)).toEqual([true, true, false, false])
  })
})
