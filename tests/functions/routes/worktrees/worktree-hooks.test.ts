import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { itDeep } from "../../../depth.ts"
import { makeRepository, type TestRepository, writeHook } from "../../agents/repository.ts"
import { openSession } from "../../agents/worktree-session.ts"
import { startServer, type TestServer } from "../../server.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** Opens a session on a repository with these hooks. The mock agent writes these files. */
async function worked(name: string, { hooks, files }: Record<"hooks" | "files", Record<string, string>>) {
  const repository = makeRepository(join(dirname(server.folder), name))
  for (const [hook, script] of Object.entries(hooks)) writeHook(join(repository.folder, ".git/hooks"), hook, script)
  const { task, ask } = await openSession(server, repository.folder)
  expect(await task({ files })).toMatchObject({ status: "completed" })
  return { repository, ask }
}

const commits = (repository: TestRepository) => repository.git("log", "--format=%s", "main")
const files = { "a.txt": "one\n" }
const withHooks = { json: { run_hooks: true } }

describe("a merge into a repository with hooks", () => {
  it("says which of them it didn't run, and that it didn't sign", async () => {
    const hooks = { "pre-commit": "exit 1", "commit-msg": "exit 1", "pre-push": "exit 1" }
    const { repository, ask } = await worked("skipped", { hooks, files })
    repository.git("config", "commit.gpgSign", "true")
    const { body } = await ask("POST", "/merge")
    expect(body).toMatchObject({ status: "merged", skipped: { hooks: ["pre-commit", "commit-msg"], signing: true } })
    expect(body.message).toContain("The repository's hooks weren't run: pre-commit, commit-msg.")
    expect(body.message).toContain("The commit isn't signed")
  })

  itDeep("says nothing of hooks where there are none", async () => {
    const { ask } = await worked("none", { hooks: {}, files })
    const { body } = await ask("POST", "/merge", withHooks)
    expect(body).toMatchObject({ status: "merged", message: "Merged into main." })
    expect(body.skipped).toBeUndefined()
  })

  it("is refused by a hook that it was told to run, in the hook's words, and nothing is changed", async () => {
    const refuse =
      'test "$(git diff --cached --name-only)" = a.txt || exit 7\necho "a.txt is \\033[31mbad\\033[0m"\nexit 3'
    const { repository, ask } = await worked("refused", { hooks: { "pre-commit": refuse }, files })
    const before = repository.git("rev-parse", "main", "HEAD")
    const refused = await ask("POST", "/merge", withHooks)
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "commit_refused" } } })
    expect(refused.body.error.details).toEqual({ hook: "pre-commit", output: "a.txt is bad" })
    expect(repository.git("rev-parse", "main", "HEAD")).toBe(before)
    expect(repository.git("status", "--porcelain")).toBe("")
    expect(readdirSync(repository.folder)).toEqual([".git", "README.md"])
    const status = (await ask("GET", "?fresh=true")).body
    expect(status).toMatchObject({ exists: true, has_changes: true, merge: null })

    writeHook(join(repository.folder, ".git/hooks"), "pre-commit", "exit 0")
    const merged = await ask("POST", "/merge", withHooks)
    expect(merged.body).toMatchObject({ status: "merged", message: "Merged into main." })
    expect(readFileSync(join(repository.folder, "a.txt"), "utf8")).toBe("one\n")
    expect(server.reported).toEqual([])
  })

  itDeep("has the message, and the files, as the hooks left them", async () => {
    const hooks = {
      "pre-commit": "echo more >> a.txt && git add a.txt",
      "prepare-commit-msg": 'test "$2" = message && sed -i.bak "1s/^/TOOL-7: /" "$1"',
      "commit-msg": 'printf "\\nChecked: yes  \\n\\n" >> "$1"',
      "post-commit": "exit 1",
    }
    const { repository, ask } = await worked("edited", { hooks, files })
    const json = { run_hooks: true, commit_message: "Add a" }
    const { body } = await ask("POST", "/merge", { json })
    expect(body).toMatchObject({ status: "merged", skipped: { hooks: ["post-commit"], signing: false } })
    expect(repository.git("log", "-1", "--format=%B").trim()).toBe("TOOL-7: Add a\nChecked: yes")
    expect(readFileSync(join(repository.folder, "a.txt"), "utf8")).toBe("one\nmore\n")
  })

  it("is never made by hooks that the agent wrote", async () => {
    const wrote = { ".husky/pre-commit": "#!/bin/sh\nexit 0\n" }
    const { repository, ask } = await worked("tracked", { hooks: {}, files: wrote })
    repository.git("config", "core.hooksPath", ".husky")
    writeHook(join(repository.folder, ".husky"), "pre-commit", "echo by the user; exit 1")
    const { body } = await ask("POST", "/merge", withHooks)
    expect(body.error).toMatchObject({ code: "commit_refused", details: { output: "by the user" } })
  })

  it("runs no hooks in a repository that is the session's own, for only agents can have made them", async () => {
    const { task, ask } = await openSession(server)
    expect(await task({ files })).toMatchObject({ status: "completed" })
    const { path } = (await ask("GET", "?fresh=true")).body
    const asked = ["rev-parse", "--path-format=absolute", "--git-path", "hooks"]
    const folder = execFileSync("git", asked, { cwd: path, encoding: "utf8" }).trim()
    writeHook(folder, "pre-commit", "exit 1")
    const { body } = await ask("POST", "/merge", withHooks)
    expect(body).toMatchObject({ status: "merged", message: "Merged into main." })
  })

  itDeep("doesn't wait for what a hook leaves running", async () => {
    const { repository, ask } = await worked("left", { hooks: {}, files })
    const waits = join(repository.folder, ".git/waits")
    writeFileSync(waits, "")
    const hook = `(while test -e '${waits}'; do sleep 0.1; done) &\necho busy; exit 1`
    writeHook(join(repository.folder, ".git/hooks"), "pre-commit", hook)
    try {
      const { body } = await ask("POST", "/merge", withHooks)
      expect(body.error).toMatchObject({ code: "commit_refused", details: { output: "busy" } })
    } finally {
      rmSync(waits)
    }
  })

  itDeep("that had conflicts is refused too, and can be completed once the hook agrees", async () => {
    const hooks = { "pre-commit": "echo x > README.md; git add README.md; exit 1" }
    const { repository, ask } = await worked("resolved", { hooks, files: { "README.md": "Ours.\n" } })
    writeFileSync(join(repository.folder, "README.md"), "Theirs.\n")
    repository.git("commit", "--no-verify", "-qam", "meanwhile")
    const json = { run_hooks: true, strategy: "merge" }
    expect((await ask("POST", "/merge", { json })).body.status).toBe("conflicts")
    const resolution = { file_path: "README.md", content: "Both.\n", complete: true }
    const refused = await ask("POST", "/resolve-conflicts", { json: resolution })
    expect(refused.body.error).toMatchObject({ code: "commit_refused", details: { hook: "pre-commit" } })
    expect(commits(repository)).toBe("meanwhile\nbegin\n")
    expect((await ask("GET", "?fresh=true")).body.merge).toMatchObject({ unresolved: 0 })
    const completed = await ask("POST", "/complete-merge", { json: { run_hooks: false } })
    expect(completed.body).toMatchObject({ status: "merged", skipped: { hooks: ["pre-commit"] } })
    expect(readFileSync(join(repository.folder, "README.md"), "utf8")).toBe("Both.\n")
  })

  it("is signed as the repository's settings say, or refused in the signer's words", async () => {
    const { repository, ask } = await worked("signed", { hooks: {}, files })
    const signer = join(repository.folder, ".git/signer")
    writeHook(dirname(signer), "signer", "echo no key here >&2; exit 2")
    repository.git("config", "commit.gpgSign", "true")
    repository.git("config", "gpg.program", signer)
    const refused = await ask("POST", "/merge", withHooks)
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "commit_refused" } } })
    expect(refused.body.error.details.output).toContain("failed to sign")
    expect(commits(repository)).toBe("begin\n")
    const signature = "-----BEGIN PGP SIGNATURE-----\\n\\nabc\\n-----END PGP SIGNATURE-----\\n"
    writeHook(
      dirname(signer),
      "signer",
      `cat > /dev/null; printf '\\n[GNUPG:] SIG_CREATED ' >&2; printf '%b' '${signature}'`,
    )
    expect((await ask("POST", "/merge", withHooks)).body).toMatchObject({ status: "merged" })
    expect(repository.git("cat-file", "commit", "main")).toContain("gpgsig -----BEGIN PGP SIGNATURE-----")
  })
})
