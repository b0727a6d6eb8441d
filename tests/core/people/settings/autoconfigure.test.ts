import { autoconfigure, type Checkout, findProject } from "@switchyard/core/people/settings/autoconfigure"
import { describe, expect, it } from "vitest"

function checkout(files: Record<string, string>, folders: string[] = []): Checkout {
  return {
    has: (path) => Object.hasOwn(files, path),
    text: (path) => files[path],
    paths: () => Object.keys(files),
    hasFolder: (name) => folders.includes(name),
  }
}

const scripts = { test: "vitest run", start: "node main.js" }
const npm = { "package.json": JSON.stringify({ scripts }), "package-lock.json": "{}" }

describe("the settings of a project", () => {
  it("follow from its manifests, which are named", () => {
    expect(findProject(checkout(npm))).toEqual({
      project_type: "javascript",
      files: ["package.json"],
      commands: { test: "npm test", start: "npm start" },
      setup_command: "npm ci",
      setup_needed: true,
    })
    const typed = findProject(checkout({ ...npm, "tsconfig.json": "{}" }))
    expect(typed).toMatchObject({ project_type: "typescript", files: ["package.json", "tsconfig.json"] })
    expect(findProject(checkout({ "pyproject.toml": "", "requirements.txt": "" }))).toMatchObject({
      ...{ project_type: "python", files: ["pyproject.toml", "requirements.txt"], commands: {} },
      setup_command: "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
    })
    expect(findProject(checkout({ "pom.xml": "" }))).toMatchObject({ project_type: "java", setup_command: null })
    expect(findProject(checkout({ Makefile: "test:\n\tcc x.c\n" }))).toEqual({
      ...{ project_type: null, files: ["Makefile"], commands: { test: "make test" } },
      ...{ setup_command: null, setup_needed: false },
    })
    expect(findProject(checkout({ "notes.txt": "" }))).toMatchObject({ project_type: null, files: [], commands: {} })
  })

  it.each([
    ["pnpm-lock.yaml", "pnpm install --frozen-lockfile"],
    ["yarn.lock", "yarn install --frozen-lockfile"],
    ["bun.lock", "bun install --frozen-lockfile"],
    ["npm-shrinkwrap.json", "npm ci"],
    ["other.lock", "npm install"],
  ])("install what %s locks", (lock, command) => {
    expect(findProject(checkout({ "package.json": "{}", [lock]: "" })).setup_command).toBe(command)
  })

  it("take no set-up where the dependencies of the checkout are linked", () => {
    expect(findProject(checkout(npm, ["node_modules"]))).toMatchObject({ setup_command: "npm ci", setup_needed: false })
    expect(findProject(checkout({ "uv.lock": "", "test_a.py": "" }, [".venv"])).setup_needed).toBe(false)
    expect(findProject(checkout({ "go.mod": "" }, ["node_modules"])).setup_needed).toBe(true)
  })

  it("are those of the type that somebody set, where there is more than one project", () => {
    const both = { ...npm, "requirements.txt": "pytest\n", "test_a.py": "" }
    expect(findProject(checkout(both))).toMatchObject({ project_type: "javascript", setup_command: "npm ci" })
    const python = findProject(checkout(both), "python")
    expect(python).toMatchObject({ project_type: "python", files: ["requirements.txt"] })
    expect(python.commands.test).toBe(".venv/bin/python -m pytest")
    expect(python.setup_command).toContain("requirements.txt")
  })
})

describe("a server that sees no folders", () => {
  it.each(["/home/ada/project", "https://git.example.org/theirs.git"])(
    "says that it finds nothing there (%s)",
    async (repository) => {
      const never = () => Promise.reject(new Error("Nothing is read or set."))
      const finding = autoconfigure(
        { projects: { get: never, change: never } },
        "ada",
        { repository, apply: true },
        { signal: new AbortController().signal },
      )
      await expect(finding).rejects.toMatchObject({
        ...{ code: "invalid_request", details: { project_path: repository } },
        message: expect.stringContaining("can't see your folders"),
      })
    },
  )
})
