import { createStorage } from "../in-page/create-storage.ts"
import { standIn } from "../in-page/stand-in.ts"

/** The script that gives a page without an origin what it would miss, before any of its own. */
export function standInCode(address: string): string {
  return `(${standIn})(${JSON.stringify(new URL(address).pathname)},${createStorage});`
}
