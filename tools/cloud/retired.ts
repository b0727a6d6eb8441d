/** Says of an asset that no page of this deployment asks for it; `infra/web.ts` has the bucket drop it a month after. */
export const RETIRED = { key: "retired", value: "yes" }
