import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fieldOf } from "@switchyard/demo-model/fields"
import { type Kind, type Language, languages, type Project } from "@switchyard/demo-model/project"
import { projectFiles } from "@switchyard/demo-model/project-files"
import { recipeFiles } from "@switchyard/demo-model/recipe-files"
import { recipes, type TopicId, topics } from "@switchyard/demo-model/topics/registry"
import { describe, expect, it, onTestFinished } from "vitest"
import { run } from "./make-project.ts"

const paths = Object.keys(recipeFiles)

describe("the recipes, as they are", () => {
  it.each(["ts", "js"])("pass their own tests on Node: .%s", async (extension) => {
    const copy = await mkdtemp(join(tmpdir(), "switchyard-recipes-"))
    onTestFinished(() => rm(copy, { recursive: true }))
    for (const [path, text] of Object.entries(recipeFiles)) {
      await mkdir(dirname(join(copy, path)), { recursive: true })
      await writeFile(join(copy, path), text)
    }
    await writeFile(join(copy, "package.json"), '{ "type": "module" }')
    const tests = paths
      .filter((path) => path.endsWith(`.test.${extension}`) && !path.startsWith("page/"))
      .map((path) => join(copy, path))
    expect(tests.length).toBeGreaterThan(10)
    const args = ["--test", "--test-isolation=none", "--test-reporter=tap", ...tests]
    const { code, output } = await run(process.execPath, args)
    expect(code, output).toBe(0)
    expect(Number(output.match(/^# pass (\d+)/m)?.[1])).toBeGreaterThan(35)
  })
})

describe("the words of a recipe", () => {
  const projectOf = (topic: TopicId, kind: Kind, language: Language): Project => ({
    ...{ topic, kind, language, name: "Any Name", items: [], locale: "en" },
    fields: recipes[topic].fields.map(fieldOf),
  })
  const cases = topics.flatMap((topic) => languages.map((language) => ({ topic, recipe: recipes[topic], language })))

  it("are in no project", () => {
    const projects = cases.flatMap(({ topic, language }) =>
      recipes[topic].kinds.flatMap((kind) => projectFiles(projectOf(topic, kind, language))),
    )
    const texts = projects.flatMap(({ path, content }) => [path, content])
    expect(texts.length).toBeGreaterThan(700)
    expect(
      texts.filter((text) => /sample|caption|flag|shout|phrase|perform|so it is|made by rule\.$/im.test(text)),
    ).toEqual([])
  })

  it.each(cases)("each stand in its files: $topic in $language", ({ topic, recipe, language }) => {
    const folders = [...recipe.folders, "page"]
    const own = paths.filter((path) => folders.some((name) => path.startsWith(`${name}/`)))
    const texts = own.flatMap((path) => [path, recipeFiles[path] ?? ""])
    const words = Object.keys({
      ...recipe.substitutions(projectOf(topic, "page", language)),
      ...recipe.differences,
    })
    expect(words.filter((word) => !texts.some((text) => text.includes(word)))).toEqual([])
  })
})
