declare module "dynalite" {
  function dynalite(options: { createTableMs: number; deleteTableMs: number }): import("node:http").Server
  export = dynalite
}
