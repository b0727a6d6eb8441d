import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { moveBranch } from "@switchyard/runner/git/plumbing/repository"
import { checkOutWork } from "@switchyard/runner/git/saves/restore-snapshot"
import { describe, expect, it } from "vitest"
import { never as signal } from "../../settings.ts"
import { needsSandbox } from "./confined.ts"
import { BRANCH, openScene } from "./git-scene.ts"

describe("the git folder of an agent's sandbox", needsSandbox, () => {
  it("shares commits and its branch with the repository, and nothing else", async () => {
    await using scene = await openScene()
    scene.theirs("stash", "list")
    writeFileSync(join(scene.repo, "mine"), "mine\n")
    scene.theirs("stash", "push", "-u", "-q")
    const [config, stash] = [scene.config(), scene.theirs("stash", "list")]
    await scene.agent(`git commit -q --allow-empty -m work; git tag v1; git branch other
      git config a.b c; git remote add o https://example.org; echo x >x; git stash -q -u; git stash pop -q
      echo x >"$(git rev-parse --git-common-dir)/hooks/pre-commit"; echo '* -text' >"$(git rev-parse --git-common-dir)/info/attributes"`)
    expect(scene.theirs("log", "--format=%s", BRANCH).split("\n")).toEqual(["work", "begin"])
    expect(scene.theirs("for-each-ref", "--format=%(refname)").split("\n").sort()).toEqual([
      "refs/heads/main",
      "refs/heads/switchyard/work",
      "refs/stash",
    ])
    expect(await scene.agent("git tag; git branch --list other")).toBe("v1\n  other\n")
    expect([scene.config(), scene.theirs("stash", "list")]).toEqual([config, stash])
    expect(existsSync(join(scene.repo, ".git/hooks/pre-commit"))).toBe(false)
    expect(existsSync(join(scene.repo, ".git/info/attributes"))).toBe(false)
    expect(await scene.agent("git config a.b; git remote")).toBe("c\no\n")
  })

  it("loses no branch and no object that an agent tidies away", async () => {
    await using scene = await openScene()
    writeFileSync(join(scene.repo, "mine"), "mine\n")
    scene.theirs("stash", "push", "-u", "-q")
    const stashed = scene.theirs("rev-parse", "stash")
    scene.theirs("branch", "mine")
    await scene.agent("git pack-refs --all --prune; git gc -q --prune=now 2>&1; git prune 2>&1; true")
    // A lost branch or object would show at the next use of the sandbox's folder.
    await scene.agent("git branch -q -D mine 2>&1; true")
    expect(scene.theirs("branch", "--format=%(refname:short)").split("\n")).toEqual(["main", "mine", BRANCH])
    expect(scene.theirs("cat-file", "-t", stashed)).toBe("commit")
    expect(scene.theirs("fsck", "--connectivity-only")).not.toMatch(/missing|broken/)
  })

  it("can't be led to other folders of the machine", async () => {
    await using scene = await openScene()
    const secret = join(scene.folder, "secret")
    mkdirSync(secret)
    writeFileSync(join(secret, "file"), "secret\n")
    const said = await scene.agent(`cd "$(git rev-parse --git-common-dir)"
      echo ${secret} >objects/info/alternates; echo ${secret} >worktrees/tree/commondir; echo ${secret}/.git >worktrees/tree/gitdir
      mv refs refs2; ln -s ${secret} refs; rm -rf worktrees/tree/gitdir 2>&1; ls -d ${secret} 2>&1; true`)
    expect(said).not.toContain("secret\n/")
    expect(await scene.agent(`cat ${secret}/file 2>&1 || true`)).toContain("No such file")
    expect(readFileSync(join(secret, "file"), "utf8")).toBe("secret\n")
    expect(scene.theirs("worktree", "list")).toContain(scene.tree)
  })

  it("has copies of the person's refs, which it changes for itself alone", async () => {
    await using scene = await openScene()
    for (const made of ["other", "group/packed"]) scene.theirs("branch", made)
    scene.theirs("tag", "-a", "-m", "v1", "v1")
    scene.theirs("update-ref", "refs/remotes/origin/main", "main")
    scene.theirs("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    scene.theirs("pack-refs", "--all")
    scene.theirs("branch", "loose")
    const listed = "git for-each-ref --format='%(refname) %(objectname)'"
    const refs = () => {
      const lines = scene.theirs("for-each-ref", "--format=%(refname) %(objectname)").split("\n")
      return lines.filter((line) => !line.includes(BRANCH))
    }
    const [before, main] = [refs(), scene.theirs("rev-parse", "main")]
    expect((await scene.agent(listed)).split("\n")).toEqual(expect.arrayContaining(before))
    await scene.agent(`git commit -q --allow-empty -m evil; evil=$(git rev-parse HEAD)
      cd "$(git rev-parse --git-common-dir)"
      for ref in heads/main heads/loose heads/new tags/v1 tags/main remotes/origin/main stash switchyard/kept/x; do
        git update-ref refs/$ref $evil; mkdir -p "$(dirname refs/$ref)"; echo $evil >refs/$ref
      done
      git branch -q -D other group/packed; rm -rf refs/heads/loose; git pack-refs --all
      git replace -f main $(git commit-tree -m evil $evil^{tree}); echo ${main} >info/grafts; echo $evil >shallow`)
    // The next use of the sandbox's folder finds the refs that the agent packed.
    const [own, evil] = (await scene.agent("git rev-parse refs/heads/main refs/heads/new")).split("\n")
    expect(own).toBe(main)
    expect(evil).not.toBe(main)
    expect([refs(), scene.theirs("rev-parse", BRANCH)]).toEqual([before, evil])
    expect(scene.theirs("show", "-s", "--format=%s", "main")).toBe("begin")
    expect(readdirSync(join(scene.repo, ".git"))).not.toContain("shallow")
    expect(existsSync(join(scene.repo, ".git/info/grafts"))).toBe(false)
  })

  it("can't have the runner see other content than it merges", async () => {
    await using scene = await openScene()
    const said =
      await scene.agent(`echo evil >x; git add x; git commit -qm evil; fine=$(echo fine | git hash-object -w --stdin)
      git replace $(git rev-parse HEAD:x) $fine; git replace HEAD $(git commit-tree HEAD^^{tree} -p HEAD^ -m fine)
      dir="$(git rev-parse --git-common-dir)"; echo "$(git rev-parse HEAD) $(git rev-parse HEAD)" >"$dir/info/grafts"; git rev-parse HEAD >"$dir/shallow"
      git -c advice.graftFileDeprecated=false cat-file blob HEAD:x || echo gone`)
    expect(said).not.toContain("evil")
    const shown = async (...args: string[]) =>
      (await scene.confined(args, { cwd: scene.tree, signal })).stdout.toString().trim()
    expect(await shown("cat-file", "blob", "HEAD:x")).toBe("evil")
    expect(await shown("diff-tree", "--name-only", "main", "HEAD")).toBe("x")
    expect(await shown("rev-list", "--count", "HEAD")).toBe("2")
  })

  it("has the refs that the person makes meanwhile", async () => {
    await using scene = await openScene()
    await scene.agent("git branch own")
    for (const made of ["first", "second"]) {
      scene.theirs("commit", "-q", "--allow-empty", "-m", made)
      scene.theirs("branch", made)
      if (made === "second") scene.theirs("pack-refs", "--all")
      expect(await scene.agent(`git log -1 --format=%s main; git log -1 --format=%s ${made}`)).toBe(
        `${made}\n${made}\n`,
      )
    }
    scene.theirs("branch", "-D", "first")
    expect(await scene.agent("git branch --format='%(refname:short)'")).toBe(`main\nown\nsecond\n${BRANCH}\n`)
  })

  it("leaves no settings in a worktree that the person has, too", async () => {
    await using scene = await openScene()
    scene.theirs("config", "extensions.worktreeConfig", "true")
    await scene.agent(
      `git config --worktree core.fsmonitor evil || echo "[core] fsmonitor = evil" >"$(git rev-parse --git-dir)/config.worktree" || true`,
    )
    expect(scene.theirs("-C", scene.tree, "config", "--list")).not.toContain("evil")
  })

  it("moves no branch of the person's by another name", async () => {
    await using scene = await openScene()
    const main = scene.theirs("rev-parse", "main")
    await scene.agent(
      `git commit -q --allow-empty -m evil; git tag evil; git symbolic-ref refs/heads/${BRANCH} refs/heads/main`,
    )
    const evil = (await scene.agent("git rev-parse evil")).trim()
    const { worktree } = scene
    const move = { branch: BRANCH, from: main, to: evil, why: "test" }
    expect(await moveBranch(scene.confined, scene.repo, move, { signal })).toBe(true)
    expect(scene.theirs("rev-parse", "main", BRANCH).split("\n")).toEqual([main, evil])
    await scene.agent(`git symbolic-ref refs/heads/${BRANCH} refs/heads/main`)
    await checkOutWork({ ...worktree, git: scene.confined }, { head: evil, tip: null }, { signal })
    expect(scene.theirs("rev-parse", "main", BRANCH).split("\n")).toEqual([main, evil])
  })
})
