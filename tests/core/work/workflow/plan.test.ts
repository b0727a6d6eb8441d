import { AppError } from "@switchyard/core/errors"
import { modelPath, parsePlan, parseTaskPlan } from "@switchyard/core/work/workflow/plan"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { planOf, tasksOf } from "./model.ts"

const limits = { maxFiles: 97, obstacle: () => undefined }
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

  it("takes paths by their meaning: outer space and a leading ./ aside", () => {
    const { files } = parsePlan(JSON.stringify(planOf(["./a.ts", " src/b.ts ", ".//c.ts", ".env.example"])), limits)
    expect(files.map(({ path }) => path)).toEqual(["a.ts", "src/b.ts", "c.ts", ".env.example"])
  })

  it.each([
    ["nothing", " \n", "The answer is empty."],
    ["prose", "I can't do that.", "not a complete JSON object"],
    ["half a plan", json.slice(0, -10), "not a complete JSON object"],
    ["a list", "[]", "does not have the right shape"],
    ["no files", JSON.stringify({ ...plan, files: [] }), "files"],
    ["files without paths", JSON.stringify({ ...plan, files: [{ purpose: "x" }] }), "path"],
    ["the wrong types", JSON.stringify({ ...plan, features: "many" }), "features"],
    ["a path that leaves", JSON.stringify(planOf(["../a.ts"])), '"../a.ts" can\'t be used'],
    ["a path in disguise", JSON.stringify(planOf(["src/../../a.ts"])), "can't be used"],
    ["an absolute path", JSON.stringify(planOf(["/etc/passwd"])), '"/etc/passwd" can\'t be used'],
    ["a home path", JSON.stringify(planOf(["~/.bashrc"])), "can't be used"],
    ["a drive", JSON.stringify(planOf(["C:/a.ts"])), "can't be used"],
    ["a backslash", JSON.stringify(planOf(["src\\a.ts"])), "backslash"],
    ["a NUL", JSON.stringify(planOf(["a\0.ts"])), "control character"],
    ["a folder", JSON.stringify(planOf(["src/"])), "can't be used"],
    ["a file twice", JSON.stringify(planOf(["a.ts", "b.ts", "./a.ts"])), "a.ts is planned more than once"],
    ["a file that is a folder", JSON.stringify(planOf(["src/a.ts", "src"])), "src is a file and a folder"],
  ])("refuses %s, in words that help", (_, answer, words) => {
    const error = refusalOf(() => parsePlan(answer, limits))
    expect(error.code).toBe("invalid_request")
    expect(error.message).toContain(words)
  })

  it("tells all that is wrong at once", () => {
    const error = refusalOf(() => parsePlan(JSON.stringify(planOf(["/a", "../b", "c", "c"])), limits))
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
    const obstacle = (path: string) => (path === "a.ts" ? "a.ts is in the way." : undefined)
    expect(refusalOf(() => parsePlan(json, { ...limits, obstacle })).message).toBe("a.ts is in the way.")
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
  it("attaches the plan, and keeps the order of the steps", () => {
    const steps = tasksOf(["README.md", "a.ts"])
    Object.assign(steps.implementation_steps[1] ?? {}, { file_path: "./a.ts" })
    expect(parseTaskPlan(JSON.stringify(steps), plan)).toEqual({ ...tasksOf(["README.md", "a.ts"]), plan })
  })

  it.each([
    ["a file without a step", ["a.ts"], "README.md of the plan has no step"],
    ["a step without a file", ["a.ts", "README.md", "c.ts"], "c.ts is not in the plan"],
    ["two steps for a file", ["a.ts", "README.md", "a.ts"], "a.ts has more than one step"],
    ["a path that leaves", ["../a.ts", "README.md"], "can't be used"],
  ])("refuses %s", (_, paths, words) => {
    expect(refusalOf(() => parseTaskPlan(JSON.stringify(tasksOf(paths)), plan)).message).toContain(words)
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
