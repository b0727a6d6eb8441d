import { describe, it } from "vitest"
import { cases } from "./settings.ts"

const isDeep = cases({ usual: 0, deep: 1 }) > 0

const unregistered = (() => {}) as unknown

/** A test for the deep run alone: one that takes seconds for a variant of what another test shows in every run. */
export const itDeep = isDeep ? it : (unregistered as typeof it)

/** Such tests together: a group without a test would fail. */
export const describeDeep = isDeep ? describe : (unregistered as typeof describe)
