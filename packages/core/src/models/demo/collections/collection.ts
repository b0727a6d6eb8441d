import { type ModuleSource, pythonModuleTest, scriptFile, scriptModuleTest } from "../module.ts"
import type { Kind, Project, ProjectFile } from "../project.ts"
import type { Routes } from "./server.ts"
import { pythonStore, scriptStore } from "./store.ts"

/** A topic that is a list of things which are added as one line of text, can be marked, and go: a store, and a face for each kind. */
export interface Collection {
  title: string
  words: RegExp
  kind: Kind
  summary: string
  /** What one is called and what many are called, in lower case: both become names in the code. */
  noun: string
  plural: string
  /** The text of each. */
  field: string
  examples: [one: string, other: string]
  mark: Mark
  /** A store of its own with the same methods, where a text and a mark are not enough. */
  store?: { script: ModuleSource; python: ModuleSource }
  /** Routes of its own for a server, instead of the usual five. */
  routes?: Routes
  /** The text is an address, and a page shows it as a link. */
  linked?: boolean
}

/** What can be done to one of them: a flag turns on and off, a count goes up. `did` says so in a message. */
export interface Mark {
  verb: string
  field: string
  kind: "flag" | "count"
}

/** What one kind of project adds to a collection's store. */
export interface CollectionFace {
  feature(collection: Collection): string
  files(collection: Collection, project: Project): ProjectFile[]
  usage(collection: Collection, project: Project): string
}

export interface Store {
  script: ModuleSource
  python: ModuleSource
}

export function storeOf(collection: Collection): Store {
  return collection.store ?? { script: scriptStore(collection), python: pythonStore(collection) }
}

/** The store and its tests, with which every kind but a page begins. */
export function storeFiles(collection: Collection, project: Project): ProjectFile[] {
  const { plural } = collection
  const purpose = `Keeps the ${plural}.`
  const tests = "Tests for the store."
  const { script, python } = storeOf(collection)
  if (project.language === "python") {
    return [
      { path: `${plural}.py`, purpose, content: python.module },
      { path: `test_${plural}.py`, purpose: tests, content: pythonModuleTest(plural, python) },
    ]
  }
  return [
    scriptFile(project.language, `${plural}.ts`, purpose, script.module),
    scriptFile(project.language, `${plural}.test.ts`, tests, scriptModuleTest(plural, script)),
  ]
}
