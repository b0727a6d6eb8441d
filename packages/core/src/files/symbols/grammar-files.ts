import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"

/** Compiled parser library and grammars, as package paths. */
const WASM_FILES = {
  library: "web-tree-sitter/web-tree-sitter.wasm",
  c: "tree-sitter-c/tree-sitter-c.wasm",
  cpp: "@vscode/tree-sitter-wasm/wasm/tree-sitter-cpp.wasm",
  csharp: "@vscode/tree-sitter-wasm/wasm/tree-sitter-c-sharp.wasm",
  css: "@vscode/tree-sitter-wasm/wasm/tree-sitter-css.wasm",
  go: "@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm",
  html: "tree-sitter-html/tree-sitter-html.wasm",
  java: "@vscode/tree-sitter-wasm/wasm/tree-sitter-java.wasm",
  javascript: "@vscode/tree-sitter-wasm/wasm/tree-sitter-javascript.wasm",
  php: "@vscode/tree-sitter-wasm/wasm/tree-sitter-php.wasm",
  python: "@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm",
  ruby: "@vscode/tree-sitter-wasm/wasm/tree-sitter-ruby.wasm",
  rust: "@vscode/tree-sitter-wasm/wasm/tree-sitter-rust.wasm",
  tsx: "@vscode/tree-sitter-wasm/wasm/tree-sitter-tsx.wasm",
  typescript: "@vscode/tree-sitter-wasm/wasm/tree-sitter-typescript.wasm",
} as const

/** Grammars that only runners use, so they aren't included in function bundles. */
const RUNNER_FILES = { bash: "@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm" } as const

export type WasmFile = keyof typeof FILES

const FILES = { ...WASM_FILES, ...RUNNER_FILES }

/**
 * Reads a WebAssembly file. Bundles already contain these files, because `infra/plugins.mjs` replaces this module
 * there.
 */
export function readWasm(name: WasmFile): Promise<Uint8Array> {
  return readFile(createRequire(import.meta.url).resolve(FILES[name]))
}
