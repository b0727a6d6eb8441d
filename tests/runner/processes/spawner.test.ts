import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buffer, text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { type ProgramStart, startProgram } from "@switchyard/runner/processes/spawner"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { needs } from "../../needs.ts"

const MODULE = fileURLToPath(import.meta.resolve("@switchyard/runner/processes/spawner"))
const PATH = process.env.PATH ?? ""
let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "spawner-"))
})
afterAll(() => rm(folder, { recursive: true }))

async function run(
  file: string,
  args: string[],
  { input = "", ...start }: Partial<ProgramStart> & { input?: string } = {},
) {
  const program = await startProgram(file, args, { cwd: folder, env: { PATH }, ...start })
  program.stdin.on("error", () => {}).end(input)
  const [stdout, stderr, exit] = await Promise.all([text(program.stdout), text(program.stderr), program.exited])
  return { stdout, stderr, exit }
}

describe("the spawner", () => {
  it("starts a program with its arguments, variables, folder and streams", async () => {
    const script = 'printf "%s|" "$@" "$PWD" "$WORD"; cat; echo bad >&2; exit 7'
    const { stdout, stderr, exit } = await run("sh", ["-c", script, "sh", "a b", "", "ü\n"], {
      input: "in",
      env: { PATH, WORD: "x=y" },
    })
    expect(stdout).toBe(`a b||ü\n|${folder}|x=y|in`)
    expect(stderr).toBe("bad\n")
    expect(exit).toEqual({ code: 7, killedBy: null })
  })

  it("passes large inputs and outputs on, also if the program reads nothing", async () => {
    const input = "0123456789abcdef".repeat(500_000)
    expect((await run("cat", [], { input })).stdout).toBe(input)
    expect((await run("true", [], { input })).exit.code).toBe(0)
  })

  it("starts many programs at once", async () => {
    const ran = await Promise.all(Array.from({ length: 60 }, (_, nth) => run("echo", [`${nth}`])))
    expect(ran.map(({ stdout }) => Number(stdout))).toEqual(ran.map((_, nth) => nth))
  })

  it("gives the program a group that can be killed with all its children", async () => {
    const program = await startProgram("sh", ["-c", "sleep 1000 & echo started; wait"], { cwd: folder, env: { PATH } })
    await once(program.stdout, "data")
    process.kill(-program.pid, "SIGKILL")
    expect(await program.exited).toEqual({ code: null, killedBy: "SIGKILL" })
    // The program's child held the output open, too, so both are dead.
    expect(await buffer(program.stdout)).toHaveLength(0)
  })

  it.each([
    ["a missing program", "no-such-program", {}, "ENOENT"],
    ["a missing folder", "true", { cwd: "/no/such/folder" }, "ENOENT"],
    ["a file that isn't a program", "/etc/passwd", {}, "EACCES"],
  ])("names the cause for %s", async (_, file, start, code) => {
    const failed = run(file, [], start).catch((error) => error)
    expect(await failed).toMatchObject({ code, message: expect.stringContaining(`${file} couldn't be started`) })
  })

  it(
    "starts programs as another user, without root's groups",
    needs(process.getuid?.() === 0 ? undefined : "this user isn't root"),
    async () => {
      const { stdout } = await run("id", ["-u", "-n"], { cwd: "/", user: { uid: 65534, gid: 65534 } })
      expect(stdout.trim()).toBe("nobody")
      expect((await run("id", ["-G"], { cwd: "/", user: { uid: 65534, gid: 65534 } })).stdout.trim()).toBe("65534")
    },
  )

  it("says which program was lost if it is killed, and is replaced", async () => {
    const program = await startProgram("sleep", ["1000"], { cwd: folder, env: { PATH } })
    const spawner = await parentOf(await parentOf(program.pid))
    expect((await readFile(`/proc/${spawner}/comm`, "utf8")).trim()).toBe("sy-spawner")
    process.kill(spawner, "SIGKILL")
    await expect(program.exited).rejects.toThrow("The spawner was killed while sleep was running.")
    process.kill(-program.pid, "SIGKILL")
    await expect.poll(() => run("echo", ["again"]).catch(String)).toMatchObject({ stdout: "again\n" })
  })

  it("leaves no process and no file when the process that uses it is killed", async () => {
    const child = inProcess("setInterval(() => {}, 1000)")
    const [output] = await once(child.stdout, "data")
    const spawner = `/proc/${Number(`${output}`)}/stat`
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^switchyard-spawner-/)])
    child.kill("SIGKILL")
    await expect.poll(() => readdir(folder)).toEqual([])
    await expect.poll(() => readFile(spawner, "latin1").catch(() => "gone")).toMatch(/^gone$|\) Z /)
  })

  it("lets its process end", async () => {
    const [code] = await once(inProcess(""), "exit")
    expect(code).toBe(0)
  })

  it("isn't needed: without Perl, the process itself starts the program", async () => {
    const child = inProcess("", join(folder, "empty"))
    const [output] = await once(child.stdout, "data")
    expect(Number(`${output}`)).toBe(child.pid)
  })
})

/** Starts a process that starts one program, prints its spawner's pid, and then runs this code. */
function inProcess(then: string, path = PATH) {
  const code = `
    import { readFileSync } from "node:fs"
    import { startProgram } from ${JSON.stringify(MODULE)}
    const parentOf = (pid) => Number(/\\) \\S (\\d+) /.exec(readFileSync(\`/proc/\${pid}/stat\`, "latin1"))[1])
    const program = await startProgram(process.execPath, ["-e", "process.stdin.resume()"], { cwd: "/", env: { PATH: process.env.PATH } })
    const parent = parentOf(program.pid)
    console.log(parent === process.pid ? parent : parentOf(parent))
    program.stdin.end()
    await program.exited
    ${then}`
  const args = ["--input-type=module", "-e", code]
  return spawn(process.execPath, args, { env: { PATH: path, TMPDIR: folder }, stdio: ["ignore", "pipe", "inherit"] })
}

async function parentOf(pid: number): Promise<number> {
  return Number(/\) \S (\d+) /.exec(await readFile(`/proc/${pid}/stat`, "latin1"))?.[1])
}
