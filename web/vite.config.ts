import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** Where `actloop serve` listens while the page is worked on with `npm run dev`. */
const SERVICE = "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: "../src/actloop/page",
    emptyOutDir: true,
    target: "es2022",
    // The page's policy allows nothing inline, fonts and images as data least of all.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    reportCompressedSize: false,
  },
  server: {
    proxy: { "/api": SERVICE, "/frame.html": SERVICE },
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/testing/setup.ts"],
    restoreMocks: true,
    unstubGlobals: true,
    css: { modules: { classNameStrategy: "non-scoped" } },
  },
});
