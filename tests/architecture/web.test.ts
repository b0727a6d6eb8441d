import { describe, expect, it } from "vitest"
import { circleIn, files, foldersOf } from "./source-files.ts"

describe("the wings of the studio", () => {
  const order = ["shell", "features", "session", "ui"]
  const isBelow = (from: string, to: string) => {
    if (from === to || from === "main.tsx") return true
    if (to === "api") return from !== "ui"
    return order.includes(from) && order.indexOf(from) < order.indexOf(to)
  }
  const wingOf = (path: string) => path.split("/")[2] ?? ""
  const web = files.filter(({ path }) => path.startsWith("web/"))
  const arrows = web.flatMap(({ path, values }) =>
    values.filter((to) => to.startsWith("web/") && !to.endsWith(".css")).map((to) => ({ from: path, to })),
  )

  it("import downwards: shell, features, session, ui, with the api beside ui", () => {
    const wrong = arrows.filter(({ from, to }) => !isBelow(wingOf(from), wingOf(to)))
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
    expect(new Set(arrows.map(({ from }) => wingOf(from)))).toEqual(new Set([...order, "api", "main.tsx"]))
  })

  it("fold a session's log without the library of schemas, which every run screen would load", () => {
    const byPath = new Map(files.map((file) => [file.path, file]))
    const reached = new Set(["web/src/session/stream/session-store.ts"])
    for (const path of reached) for (const to of byPath.get(path)?.values ?? []) reached.add(to)
    expect(reached).toContain("core/src/files/workspaces/tree-model.ts")
    expect(reached).not.toContain("zod")
  })

  it("have no circle of folders, not even by their types", () => {
    expect(circleIn(foldersOf(web, { types: true }))).toEqual([])
  })

  it("have no circle of features, not even by their types", () => {
    const featureOf = (path: string) => /^web\/src\/features\/([^/]+)\//.exec(path)?.[1]
    const others = new Map<string, Set<string>>()
    for (const { path, imports } of web) {
      const feature = featureOf(path)
      if (feature === undefined) continue
      const found = imports.flatMap((name) => featureOf(name) ?? []).filter((to) => to !== feature)
      others.set(feature, new Set([...(others.get(feature) ?? []), ...found]))
    }
    expect(others.size).toBeGreaterThan(10)
    expect(circleIn(others)).toEqual([])
  })
})
