import { isAppError } from "@switchyard/core/errors"
import { workspaceId } from "@switchyard/core/files/workspaces/id"
import { isWorkspacePath, pathProblem, workspacePath } from "@switchyard/core/files/workspaces/path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const refused = expect.objectContaining({ code: "workspace_validation_error" })

describe("a workspace path", () => {
  it.each([
    "a",
    "src/index.ts",
    ".env",
    "...",
    "a..b/c.",
    "src/~x",
    "backup~",
    "with space.txt",
    ".gitignore",
    ".github/workflows/ci.yml",
    "git/.gitkeep",
    "a.git/x",
    "git~10",
    "console.ts",
    "auxiliary/nullable.c",
    "com10",
    "e\u0301.txt",
    "ünï/çödé/日本語/😀.md",
    "__proto__",
    "constructor/toString",
    `${"é".repeat(127)}x`,
    Array(128).fill("1234567").join("/"),
  ])("takes %j as it is", (path) => {
    expect(workspacePath(path)).toBe(path)
    expect(isWorkspacePath(path)).toBe(true)
  })

  it.each([
    ["nothing", ""],
    ["white space", " \t "],
    ["the root", "."],
    ["the parent", ".."],
    ["a way out", "../x"],
    ["a way out in the middle", "a/../../x"],
    ["a way back to the root", "src/.."],
    ["a dot segment", "a/./b"],
    ["an absolute path", "/etc/passwd"],
    ["an empty segment", "a//b"],
    ["a slash at the end", "src/"],
    ["a home", "~"],
    ["a file at home", "~/x"],
    ["someone's home", "~root/x"],
    ["a drive", "C:/x"],
    ["a path on a drive", "c:x"],
    ["a backslash", "..\\e.txt"],
    ["a drive with a backslash", "C:\\x"],
    ["a NUL", "a\0b"],
    ["a NUL at the end", "a.txt\0"],
    ["a line feed", "a\nb"],
    ["DEL", "a\x7fb"],
    ["a C1 control", "a\u0085b"],
    ["a line separator", "a\u2028b"],
    ["a lone surrogate", "a\ud83d"],
    ["git's folder", ".git/config"],
    ["git's folder in another", "a/.git/hooks/pre-commit"],
    ["git's folder itself", "sub/.git"],
    ["git's folder in capitals", ".GIT/config"],
    ["git's folder with a dot behind it", ".git./config"],
    ["git's folder with blanks and dots behind it", "a/.git . ./config"],
    ["git's folder by its short name", "GIT~1/config"],
    ["git's folder as a stream", ".git::$INDEX_ALLOCATION/config"],
    ["git's folder with a sign that a Mac passes over", ".g\u200cit/config"],
    ["git's folder with such a sign at its end", ".git\ufeff/config"],
    ["a device of Windows", "con"],
    ["a device in capitals, with an ending", "src/Aux.C"],
    ["a device with two endings", "nul.tar.gz"],
    ["a device with a number", "lpt1/x"],
    ["a device with a raised number", "COM\u00b9"],
    ["a device with blanks behind it", "prn . .txt"],
    ["a device as a stream", "conout$:x"],
    ["a sign that is a letter in another form", "\u212aelvin.txt"],
    ["a sign that is a semicolon in another form", "a\u037eb"],
    ["a segment of 256 bytes", "é".repeat(128)],
    ["a path of 1,025 bytes", `${"12345678/".repeat(113)}12345678`],
  ])("refuses %s", (_, path) => {
    expect(() => workspacePath(path)).toThrow(refused)
    expect(isWorkspacePath(path)).toBe(false)
  })

  it.each([
    ["CON", /device name on Windows/],
    ["a:b.txt", /begins with "a:", which is a drive on Windows/],
    ["/etc", /relative/],
    [" a", /white space/],
    ["a\\b", /backslash/],
  ])("says what is wrong with %j", (path, problem) => expect(pathProblem(path)).toMatch(problem))

  it("drops outer white space, and only that", () => {
    expect(workspacePath("  src/a b.ts\n")).toBe("src/a b.ts")
    expect(isWorkspacePath(" a")).toBe(false)
  })

  it("keeps names apart that differ in nothing but case or Unicode form", () => {
    const names = ["a.txt", "A.txt", "\u00e9", "e\u0301"].map(workspacePath)
    expect(new Set(names).size).toBe(4)
  })

  it("never leads out, whatever comes in", () => {
    const piece = fc.constantFrom("..", ".", "", "/", "\\", "a", "~", "C:", "\0", " ", "\u2025", "%2e%2e", "\ud800")
    const input = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece).map((pieces) => pieces.join("/")),
      fc.array(piece).map((pieces) => pieces.join("")),
    )
    fc.assert(
      fc.property(input, (text) => {
        const path = tryPath(text)
        if (path === undefined) return
        const url = new URL(path.split("/").map(encodeURIComponent).join("/"), "http://host/root/")
        expect(decodeURIComponent(url.pathname)).toBe(`/root/${path}`)
        expect(Buffer.from(path).toString()).toBe(path)
        expect(workspacePath(path)).toBe(path)
      }),
      { numRuns: 2000 },
    )
  })

  it("doesn't send a long path back whole", () => {
    const error = caught(() => workspacePath("x/".repeat(100_000)))
    expect(JSON.stringify(isAppError(error, "workspace_validation_error") && error.details).length).toBeLessThan(1000)
  })
})

describe("a workspace id", () => {
  it.each([undefined, null, "", "  "])("is `default` for %j", (input) => expect(workspaceId(input)).toBe("default"))

  it.each(["a", " demo_1-X ", "x".repeat(128)])("is taken without outer white space: %j", (input) => {
    expect(workspaceId(input)).toBe(input.trim())
  })

  it.each(["a/b", "..", "a b", "é", "x".repeat(129), "a\0", "a\nb"])("refuses %j", (input) => {
    expect(() => workspaceId(input)).toThrow(refused)
  })
})

function tryPath(text: string) {
  try {
    return workspacePath(text)
  } catch (error) {
    if (!isAppError(error, "workspace_validation_error")) throw error
  }
}

function caught(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
}
