import { AppError } from "@switchyard/core/errors"
import { modelPath, parsePlan, parseTaskPlan } from "@switchyard/core/work/workflow/plan/plan"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { planOf, tasksOf } from "../model.ts"

/** Returns a workspace of these files with only the method that a plan uses. */
function filesOf(...paths: string[]) {
  const entry = { type: "file" as const, sha256: "", size: 0, mode: 0o644, binary: false }
  return { stat: (path: string) => (paths.includes(path) ? entry : undefined) }
}

const limits = { maxFiles: 97, files: filesOf() }
const plan = planOf(["a.ts", "README.md"])
const json = JSON.stringify(plan)

describe("parsePlan", () => {
  it.each([
    ["as it should be", json],
    ["indented", JSON.stringify(plan, null, 2)],
    ["in a fence", `\`\`\`json\n${json}\n\`\`\``],
    ["in a fence after a sentence", `Here is the plan:\n\n\`\`\`\n${JSON.stringify(plan, null, 2)}\n\`\`\`\nEnjoy!`],
    ["between two sentences", `Sure! ${json} That is all.`],
    ["with keys that nobody asked for", JSON.stringify({ ...plan, mood: "good" })],
  ])("reads a plan %s", (_, answer) => {
    expect(parsePlan(answer, limits)).toEqual(plan)
  })

  it.each([
    ["after thoughts", `<think>Maybe {a: 1}, or {"name": "b"}</think>\n${json}`],
    ["after a draft of it", `{"name": "Draft"}\nBetter:\n${json}`],
    ["before words with a brace", `${json}\nUse {braces} as you like.`],
    ["with lists for texts", JSON.stringify({ ...plan, techstack: ["TypeScript"], description: [plan.description] })],
    ["with a text for a list", JSON.stringify({ ...plan, features: "It does something\n" })],
  ])("understands a plan %s", (_, answer) => {
    expect(parsePlan(answer, limits)).toEqual(plan)
  })

  it("knows what becomes of each file, whatever the model calls it", () => {
    const files = filesOf("there.ts", "old.ts", "gone.ts")
    const planned = [
      { path: "new.ts", action: "change", purpose: "" },
      { path: "there.ts", purpose: "", to: null },
      { path: "old.ts", action: "rename", to: "src/new.ts", purpose: "" },
      { path: "gone.ts", action: "delete", purpose: "" },
    ]
    const parsed = parsePlan(JSON.stringify({ ...plan, files: planned }), { ...limits, files })
    expect(parsed.files).toEqual([
      { path: "new.ts", action: "create", purpose: "" },
      { path: "there.ts", action: "change", purpose: "" },
      { path: "old.ts", action: "rename", to: "src/new.ts", purpose: "" },
      { path: "gone.ts", action: "delete", purpose: "" },
    ])
  })

  it("takes a dependency on a file that is renamed for one on what it becomes", () => {
    const renaming = { path: "old.ts", action: "rename", to: "new.ts", purpose: "", depends_on: ["old.ts"] }
    const files = [renaming, { path: "user.ts", purpose: "", depends_on: ["old.ts"] }]
    const parsed = parsePlan(JSON.stringify({ ...plan, files }), { ...limits, files: filesOf("old.ts") })
    expect(parsed.files.map(({ depends_on }) => depends_on)).toEqual([[], ["new.ts"]])
  })

  it("keeps dependencies on planned files only", () => {
    const [a, readme] = plan.files
    const files = [
      { ...a, depends_on: [] },
      { ...readme, depends_on: ["./a.ts", "README.md", "node:fs"] },
    ]
    const parsed = parsePlan(JSON.stringify({ ...plan, files }), limits)
    expect(parsed.files.map(({ depends_on }) => depends_on)).toEqual([[], ["a.ts"]])
  })

  it.each([
    [
      "a circle",
      [
        { path: "a.ts", depends_on: ["b.ts"] },
        { path: "b.ts", depends_on: ["a.ts"] },
      ],
      "in a circle: a.ts, b.ts",
    ],
    ["an image", [{ path: "img/logo.png" }], "img/logo.png can't be written as text"],
    ["a lock file", [{ path: "package-lock.json" }], "can't be written as text"],
    ["installed packages", [{ path: "node_modules/a/index.js" }], "can't be written as text"],
    ["deleting what there isn't", [{ path: "a.ts", action: "delete" }], "There is no file a.ts to delete."],
    ["renaming what there isn't", [{ path: "a.ts", action: "rename", to: "b.ts" }], "There is no file a.ts to rename."],
    ["renaming to what there is", [{ path: "there.ts", action: "rename", to: "too.ts" }], "which exists already"],
  ])("refuses %s", (_, files, words) => {
    const answer = JSON.stringify({ ...plan, files: files.map((file) => ({ purpose: "", ...file })) })
    const present = { ...limits, files: filesOf("there.ts", "too.ts") }
    expect(refusalOf(() => parsePlan(answer, present)).message).toContain(words)
  })

  it("keeps a fence that stands inside of a text", () => {
    const fenced = { ...plan, description: "Use ```js\nx\n``` here." }
    expect(parsePlan(JSON.stringify(fenced), limits)).toEqual(fenced)
  })

  it("reads the last of a long answer as fast as the first, whatever it is made of", () => {
    for (const filler of ["\n", "```\n", "``` ", "{", '{"', "json", " \n"]) {
      const answer = `\`\`\`\n${filler.repeat(50_000)}x`
      expect(() => parsePlan(answer, limits)).toThrow("not a complete JSON object")
    }
  })

  it("takes paths by their meaning: outer space, a leading slash and a leading ./ aside", () => {
    const { files } = parsePlan(
      JSON.stringify(planOf(["./a.ts", " src/b.ts ", ".//c.ts", "/d.ts", ".env.example"])),
      limits,
    )
    expect(files.map(({ path }) => path)).toEqual(["a.ts", "src/b.ts", "c.ts", "d.ts", ".env.example"])
  })

  it.each([
    ["nothing", " \n", "The answer is empty."],
    ["prose", "I can't do that.", "not a complete JSON object"],
    ["half a plan", json.slice(0, -10), "not a complete JSON object"],
    ["a list", "[]", "does not have the right shape"],
    ["no files", JSON.stringify({ ...plan, files: [] }), "files"],
    ["files without paths", JSON.stringify({ ...plan, files: [{ purpose: "x" }] }), "path"],
    ["the wrong types", JSON.stringify({ ...plan, features: 5 }), "features"],
    ["a path that leaves", JSON.stringify(planOf(["../a.ts"])), '"../a.ts" can\'t be used'],
    ["a path in disguise", JSON.stringify(planOf(["src/../../a.ts"])), "can't be used"],
    ["a home path", JSON.stringify(planOf(["~/.bashrc"])), "can't be used"],
    ["a drive", JSON.stringify(planOf(["C:/a.ts"])), "can't be used"],
    ["a backslash", JSON.stringify(planOf(["src\\a.ts"])), "backslash"],
    ["a NUL", JSON.stringify(planOf(["a\0.ts"])), "control character"],
    ["a folder", JSON.stringify(planOf(["src/"])), "can't be used"],
    [
      "names that differ in case",
      JSON.stringify(planOf(["a.ts", "A.ts"])),
      "A.ts differs from another only in its case",
    ],
    ["a file twice", JSON.stringify(planOf(["a.ts", "b.ts", "./a.ts"])), "a.ts is planned more than once"],
    ["a file that is a folder", JSON.stringify(planOf(["src/a.ts", "src"])), "src is a file and a folder"],
  ])("refuses %s, in words that help", (_, answer, words) => {
    const error = refusalOf(() => parsePlan(answer, limits))
    expect(error.code).toBe("invalid_request")
    expect(error.message).toContain(words)
  })

  it("tells all that is wrong at once", () => {
    const error = refusalOf(() => parsePlan(JSON.stringify(planOf(["~/a", "../b", "c", "c"])), limits))
    expect(error.message.split("\n")).toHaveLength(3)
  })

  it("takes as many files as there is room for, and not one more", () => {
    const paths = Array.from({ length: 98 }, (_, n) => `${n}.ts`)
    expect(parsePlan(JSON.stringify(planOf(paths.slice(1))), limits).files).toHaveLength(97)
    expect(refusalOf(() => parsePlan(JSON.stringify(planOf(paths)), limits)).message).toContain("There are 98 files")
  })

  it("takes 200 files at most, whatever room there is", () => {
    const paths = Array.from({ length: 201 }, (_, n) => `${n}.ts`)
    const wide = { ...limits, maxFiles: 997 }
    expect(parsePlan(JSON.stringify(planOf(paths.slice(1))), wide).files).toHaveLength(200)
    expect(refusalOf(() => parsePlan(JSON.stringify(planOf(paths)), wide)).message).toBe(
      "There are 201 files, but a plan may have at most 200.",
    )
  })

  it("refuses what stands against the files that there are", () => {
    const inTheWay = JSON.stringify(planOf(["a.ts/b.ts"]))
    expect(refusalOf(() => parsePlan(inTheWay, { ...limits, files: filesOf("a.ts") })).message).toBe(
      "The path a.ts/b.ts is inside a.ts, which is a file of the project and not a folder.",
    )
  })

  it("never lets a path through that could leave the workspace, whatever a model says", () => {
    const segment = fc.constantFrom("..", ".", "", "a", "~", "C:", " ", "\\", "\0", "b.ts", "...")
    const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => segments.join("/"))
    fc.assert(
      fc.property(fc.oneof(path, fc.string()), (input) => {
        let taken: string
        try {
          taken = modelPath(input)
        } catch (error) {
          expect(error).toMatchObject({ code: "workspace_validation_error" })
          return
        }
        expect(taken.split("/").every((part) => part !== "" && part !== "." && part !== "..")).toBe(true)
        expect(taken).toMatch(/^[^/~\\\0]/)
      }),
      { numRuns: 2000 },
    )
  })
})

describe("parseTaskPlan", () => {
  it("attaches the plan, and keeps the order of the steps, manifests first and a README last", () => {
    const paths = ["README.md", "b.ts", "app/package.json", "a.ts"]
    const larger = planOf(paths)
    const steps = tasksOf(paths)
    Object.assign(steps.implementation_steps[3] ?? {}, { file_path: "./a.ts" })
    const ordered = tasksOf(["app/package.json", "b.ts", "a.ts", "README.md"])
    expect(parseTaskPlan(JSON.stringify(steps), larger)).toEqual({ ...ordered, plan: larger })
  })

  it.each([
    ["a bare list", JSON.stringify(tasksOf(["a.ts", "README.md"]).implementation_steps)],
    ["another case", JSON.stringify(tasksOf(["A.ts", "readme.md"]))],
  ])("understands %s", (_, answer) => {
    const { implementation_steps } = parseTaskPlan(answer, plan)
    expect(implementation_steps.map(({ file_path }) => file_path)).toEqual(["a.ts", "README.md"])
  })

  it("takes either name of a file that is renamed, and needs no step for one that is deleted", () => {
    const files = filesOf("app.js", "old.js")
    const changes = [
      { path: "app.js", action: "rename", to: "main.js", purpose: "" },
      { path: "old.js", action: "delete", purpose: "" },
      { path: "README.md", action: "create", purpose: "" },
    ]
    const changing = parsePlan(JSON.stringify({ ...plan, files: changes }), { ...limits, files })
    for (const path of ["app.js", "main.js"]) {
      const { implementation_steps } = parseTaskPlan(JSON.stringify(tasksOf([path, "README.md"])), changing)
      expect(implementation_steps.map(({ file_path }) => file_path)).toEqual(["main.js", "old.js", "README.md"])
    }
  })

  it.each([
    ["a file without a step", ["a.ts"], "README.md of the plan has no step"],
    ["a step without a file", ["a.ts", "README.md", "c.ts"], "c.ts is not in the plan"],
    ["a path that leaves", ["../a.ts", "README.md"], "can't be used"],
  ])("refuses %s", (_, paths, words) => {
    expect(refusalOf(() => parseTaskPlan(JSON.stringify(tasksOf(paths)), plan)).message).toContain(words)
  })

  it("takes several steps of a file for one, since a visit of the coder writes a file whole", () => {
    const tasks = [
      { file_path: "a.ts", task_description: "Write the function." },
      { file_path: "README.md", task_description: "Explain it." },
      { file_path: "./a.ts", task_description: "Export it." },
    ]
    expect(parseTaskPlan(JSON.stringify({ implementation_steps: tasks }), plan).implementation_steps).toEqual([
      { file_path: "a.ts", task_description: "Write the function.\n\nExport it." },
      { file_path: "README.md", task_description: "Explain it." },
    ])
  })

  it("refuses steps that are none", () => {
    const answer = JSON.stringify({ implementation_steps: ["a.ts"] })
    expect(refusalOf(() => parseTaskPlan(answer, plan)).message).toContain("right shape")
  })
})

function refusalOf(task: () => unknown): AppError {
  try {
    task()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error("It was not refused.")
}
