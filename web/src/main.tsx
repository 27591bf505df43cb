import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./ui/styles/global.css";
import { App } from "./app/app";
import { applyTheme } from "./ui/theme";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element #root.");

applyTheme();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
