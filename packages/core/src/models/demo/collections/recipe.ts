import type { Kind, Project, Recipe } from "../project.ts"
import { capitalised } from "../source.ts"
import { collectionCli } from "./cli.ts"
import { type Collection, type CollectionFace, storeFiles } from "./collection.ts"
import { collectionPage } from "./page.ts"
import { collectionServer } from "./server.ts"

export function collectionRecipe(collection: Collection): Recipe {
  return {
    title: collection.title,
    words: collection.words,
    kind: collection.kind,
    summary: collection.summary,
    features: ({ kind }) => [
      `Adds, lists, ${thirdPerson(collection.mark.verb)} and removes ${collection.plural}`,
      faces[kind].feature(collection),
    ],
    files: (project) => faces[project.kind].files(collection, project),
    usage: (project) => faces[project.kind].usage(collection, project),
  }
}

const faces = {
  server: collectionServer,
  cli: collectionCli,
  page: collectionPage,
  library: {
    feature: () => "A module to import, without dependencies",
    files: storeFiles,
    usage: libraryUsage,
  },
} satisfies Record<Kind, CollectionFace>

function libraryUsage({ noun, plural, examples, mark }: Collection, { language }: Project): string {
  const Plural = capitalised(plural)
  const fence = "```"
  const text = JSON.stringify(examples[0])
  const use = (end: string) => `${noun} = ${plural}.add(${text})${end}\n${plural}.${mark.verb}(${noun}.id)\n${plural}.`
  if (language === "python") {
    const begin = `from ${plural} import ${Plural}\n\n${plural} = ${Plural}()`
    return `${fence}python\n${begin}\n${use("")}all()\n${fence}`
  }
  const begin = `import { create${Plural} } from "./${plural}.${language === "typescript" ? "ts" : "js"}"\n\nconst ${plural} = create${Plural}()`
  return `${fence}${language === "typescript" ? "ts" : "js"}\n${begin}\nconst ${use("")}list()\n${fence}`
}

function thirdPerson(verb: string): string {
  return `${verb}s`
}
