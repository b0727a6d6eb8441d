import fc from "fast-check"
import { cases } from "./settings.ts"

// `npm test` tries the same cases on every run, so that a failure comes from the change. The deep run draws new cases
// and prints their seed.
if (cases({ usual: 1, deep: 0 })) fc.configureGlobal({ seed: 1, ...fc.readConfigureGlobal() })
