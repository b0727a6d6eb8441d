import { describe, it } from "vitest"
import { cases } from "./settings.ts"

const isDeep = cases({ usual: 0, deep: 1 }) > 0

const unregistered = (() => {}) as unknown

/** A test that only `npm run test:deep` runs, because it takes seconds to check a variant of another test. */
export const itDeep = isDeep ? it : (unregistered as typeof it)

/** A suite of deep tests. Without this function, the suite would be empty in `npm test`, and Vitest would fail it. */
export const describeDeep = isDeep ? describe : (unregistered as typeof describe)
