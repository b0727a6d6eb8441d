import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ownFiles } from "@switchyard/runner/files/files"
import { updateCheckout } from "@switchyard/runner/git/checkout/update-checkout"
import { findCollisions } from "@switchyard/runner/git/saves/collisions"
import { checkOutWork } from "@switchyard/runner/git/saves/restore-snapshot"
import { takeWorkSnapshot } from "@switchyard/runner/git/saves/work-snapshot"
import { writeWork } from "@switchyard/runner/git/worktrees/worktree-record"
import { agentSettings, carrySettings, guardSettings } from "@switchyard/runner/sandbox/settings-guard"
import { describe, expect, it } from "vitest"
import { never as signal } from "../../settings.ts"
import { confinement, needsSandbox } from "./confined.ts"
import { BRANCH, openScene } from "./git-scene.ts"

describe("the runner's git in a sandbox", needsSandbox, () => {
  it("has the person's filters and line endings there, and none of their secrets", async () => {
    await using scene = await openScene()
    scene.theirs("config", "--global", "filter.upper.clean", "tr a-z A-Z")
    scene.theirs("config", "--global", "http.extraHeader", "Authorization: secret")
    scene.theirs("config", "--global", "core.excludesFile", join(scene.home, "ignored"))
    writeFileSync(join(scene.home, "ignored"), "*.log\n")
    writeFileSync(join(scene.tree, ".gitattributes"), "*.up filter=upper\n*.env filter=env\n")
    await scene.agent(`git config filter.env.clean env; echo x >x.env; echo text >a.up; echo x >x.log`)
    await scene.confined(["add", "--all"], { cwd: scene.tree, signal })
    const shown = async (path: string) =>
      (await scene.confined(["show", `:${path}`], { cwd: scene.tree, signal })).stdout.toString()
    expect(await shown("a.up")).toBe("TEXT\n")
    const env = await shown("x.env")
    expect(env).toMatch(/^HOME=\/tmp$/m)
    expect(env).not.toMatch(/secret|SSH_AUTH_SOCK=./)
    const listed = await scene.confined(["ls-files"], { cwd: scene.tree, signal })
    expect(listed.stdout.toString().split("\n").filter(Boolean)).toEqual([".gitattributes", "a.up", "x.env"])
  })
})

describe("a person's setting that names a program of the repository", needsSandbox, () => {
  /**
   * Opens a scene in which a person's git setting names a program in the repository. An agent puts `trap` into the
   * program, and `proof` shows if it ran.
   */
  async function openTrap(setting: string, name: string) {
    const scene = await openScene()
    const proof = join(scene.folder, "proof")
    scene.theirs("config", setting, `sh ./program.sh %A`)
    writeFileSync(join(scene.repo, ".gitattributes"), `*.txt ${name}\n`)
    writeFileSync(join(scene.repo, "program.sh"), "cat\n")
    writeFileSync(join(scene.repo, "x.txt"), "x\n")
    scene.theirs("add", ".")
    scene.theirs("commit", "-qm", "with a program")
    scene.theirs("-C", scene.tree, "reset", "-q", "--hard", "main")
    writeFileSync(proof, "")
    const trap = `echo ran >>${proof}`
    return { ...scene, proof: () => readFileSync(proof, "utf8"), trap }
  }

  it.each(["clean", "smudge"])("starts nothing of an agent's as a %s filter in the person's checkout", async (kind) => {
    await using scene = await openTrap(`filter.own.${kind}`, "filter=own")
    const from = scene.theirs("rev-parse", "main")
    // The program also tries to stage a file.
    const blob = scene.theirs("rev-parse", "main:x.txt")
    writeFileSync(
      join(scene.tree, "program.sh"),
      `${scene.trap}; cat
      [ "$GIT_INDEX_FILE" ] || exit 0
      cp "$GIT_INDEX_FILE" "$GIT_INDEX_FILE.mine"
      GIT_INDEX_FILE="$GIT_INDEX_FILE.mine" git update-index --add --cacheinfo "100755,${blob},planted" && mv "$GIT_INDEX_FILE.mine" "$GIT_INDEX_FILE.lock"\n`,
    )
    await scene.agent(`echo new >x.txt; echo y >y.txt; git add program.sh; git -c filter.own.clean= commit -qam work`)
    const to = scene.theirs("rev-parse", BRANCH)
    const move = { branch: "main", from, to, why: "test" }
    const { repository } = scene.worktree
    expect(await updateCheckout(scene.confined, repository, scene.repo, move, { signal })).toBe(true)
    expect(scene.proof()).toBe("")
    expect(readFileSync(join(scene.repo, "x.txt"), "utf8")).toBe("new\n")
    expect(scene.theirs("ls-files").split("\n")).not.toContain("planted")
    // A later update reads the person's checkout.
    const back = { branch: "main", from: to, to: from, why: "test" }
    // The program can make the person's files look changed, which stops the update.
    await Promise.allSettled([updateCheckout(scene.confined, repository, scene.repo, back, { signal })])
    expect(scene.proof()).toBe("")
  })

  it("starts nothing of an agent's when its work is restored", async () => {
    await using scene = await openTrap("filter.own.smudge", "filter=own")
    await scene.agent(`echo '${scene.trap}; cat' >program.sh; echo new >x.txt; git commit -qam work`)
    const restored = { ...scene.worktree, git: scene.confined }
    await checkOutWork(restored, { head: scene.theirs("rev-parse", BRANCH), tip: null }, { signal })
    expect(readFileSync(join(scene.tree, "x.txt"), "utf8")).toBe("new\n")
    expect(scene.proof()).toBe("")
  })

  it("starts nothing of an agent's when saved works are compared", async () => {
    await using scene = await openTrap("merge.own.driver", "merge=own")
    const driver = join(scene.repo, "program.sh")
    scene.theirs("config", "merge.own.driver", `sh ${driver} %A; cat %B >>%A`)
    writeFileSync(driver, scene.trap)
    const { worktree } = scene
    const saving = { ...worktree, git: scene.confined, session: "s" }
    await writeWork(saving, { base_commit: scene.theirs("rev-parse", BRANCH), target_branch: "main" })
    const save = async (text: string) => {
      writeFileSync(join(scene.tree, "x.txt"), text)
      return (await takeWorkSnapshot(saving, false, { signal }))?.commit(null) ?? ""
    }
    const saves: [string, string] = [await save("one\n"), await save("two\n")]
    expect(await findCollisions(saving, saves, { signal })).toEqual([])
    expect(scene.proof()).toBe("")
    expect(readdirSync(worktree.folder)).not.toContainEqual(expect.stringMatching(/^collisions/))
  })
})

describe("an agent's git settings", () => {
  it("get into the repository if they start no program", needsSandbox, async () => {
    await using scene = await openScene()
    await scene.agent(`git branch feature; git remote add fine https://example.org/x.git; git remote add evil 'ext::sh -c evil'
      git config branch.work.remote fine; git config branch.work.merge refs/heads/work; git config branch.evil.remote 'ext::sh -c evil'
      git config remote.other.url -- '--upload-pack=evil'; git config core.fsmonitor evil; git config remote.fine.uploadpack evil`)
    const settings = await agentSettings(scene.worktree, { signal })
    const guard = await guardSettings(scene.worktree, confinement, { signal })
    const shown = await guard.settle()
    for (const dropped of [
      "ext::sh -c evil",
      "core.fsmonitor = evil",
      "remote.fine.uploadpack",
      "refs/heads/feature",
    ]) {
      expect(shown).toContain(dropped)
    }
    await carrySettings(scene.worktree, settings, { signal })
    const local = scene.theirs("config", "--local", "--get-regexp", "^(branch|remote)").split("\n").sort()
    expect(local).toEqual([
      "branch.work.merge refs/heads/work",
      "branch.work.remote fine",
      "remote.fine.fetch +refs/heads/*:refs/remotes/fine/*",
      "remote.fine.url https://example.org/x.git",
    ])
    expect(scene.config()).not.toContain("evil")
  })

  it("are put back after its turn where there is no sandbox, and those of others stay", async () => {
    await using scene = await openScene()
    const none = { means: undefined }
    const hook = join(scene.repo, ".git/hooks/pre-commit")
    writeFileSync(hook, "#!/bin/sh\nexit 0\n")
    chmodSync(hook, 0o755)
    scene.theirs("config", "filter.mine.clean", "cat")
    const config = scene.config()
    const first = await guardSettings(scene.worktree, none, { signal })
    scene.theirs("config", "filter.mine.clean", "evil")
    // Another agent starts while the first one works, and ends first.
    const second = await guardSettings(scene.worktree, none, { signal })
    scene.theirs("config", "core.fsmonitor", "evil")
    scene.theirs("config", "include.path", "/evil")
    scene.theirs("remote", "add", "fine", "https://example.org/x.git")
    writeFileSync(hook, "evil\n")
    writeFileSync(join(scene.repo, ".git/hooks/post-commit"), "evil\n")
    writeFileSync(join(scene.repo, ".git/info/attributes"), "* filter=evil\n")
    mkdirSync(join(scene.repo, ".git/modules/x/hooks"), { recursive: true })
    writeFileSync(join(scene.repo, ".git/modules/x/hooks/post-checkout"), "evil\n")
    scene.theirs("worktree", "add", "-q", join(scene.folder, "persons"))
    expect(await second.settle()).toMatch(/core\.fsmonitor = evil.*include\.path = \/evil.*hooks\/post-commit/)
    writeFileSync(join(scene.repo, ".git/hooks/pre-push"), "evil\n")
    expect(await first.settle()).toMatch(/hooks\/pre-push$/)
    expect(scene.config().startsWith(config.trimEnd())).toBe(true)
    expect(scene.theirs("config", "remote.fine.url")).toBe("https://example.org/x.git")
    expect(readFileSync(hook, "utf8")).toBe("#!/bin/sh\nexit 0\n")
    for (const gone of ["hooks/post-commit", "hooks/pre-push", "info/attributes", "modules/x/hooks/post-checkout"]) {
      expect(existsSync(join(scene.repo, ".git", gone))).toBe(false)
    }
    expect(scene.theirs("-C", join(scene.folder, "persons"), "status", "--short")).toBe("")
    expect(await ownFiles.exists(join(scene.folder, "journals/settings.json"))).toBe(false)
  })

  it("say nothing of the mark that opencode leaves in the repository's git folder, which is removed", async () => {
    await using scene = await openScene()
    const mark = join(scene.repo, ".git/opencode")
    const guard = await guardSettings(scene.worktree, { means: undefined }, { signal })
    writeFileSync(mark, "its project's id")
    expect(await guard.settle()).toBeUndefined()
    expect(existsSync(mark)).toBe(false)
  })
})
