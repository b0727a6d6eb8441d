/** Image types that agents' models accept, by magic bytes. */
const KINDS = [
  { extension: "png", begins: ["89504e470d0a1a0a"] },
  { extension: "jpg", begins: ["ffd8ff"] },
  { extension: "gif", begins: ["474946383761", "474946383961"] },
] as const

/** Returns the usual extension of an image based on its bytes, ignoring its name. Undefined for other files. */
export function imageExtension(bytes: Uint8Array): "png" | "jpg" | "gif" | "webp" | undefined {
  const hex = Buffer.from(bytes.subarray(0, 12)).toString("hex")
  if (hex.startsWith("52494646") && hex.slice(16) === "57454250") return "webp"
  return KINDS.find(({ begins }) => begins.some((magic) => hex.startsWith(magic)))?.extension
}
