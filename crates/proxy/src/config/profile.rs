//! The limits under which clients leave results alone.

use snugfit_engine::Budget;

use super::Profile;

impl Profile {
    /// The profile of a client by the name that it gives in `initialize`.
    ///
    /// ```
    /// use snugfit_proxy::config::Profile;
    /// assert_eq!(Profile::of_client("gemini-cli-mcp-client"), Profile::GeminiCli);
    /// assert_eq!(Profile::of_client("Visual Studio Code - Insiders"), Profile::Vscode);
    /// assert_eq!(Profile::of_client("my-agent"), Profile::Generic);
    /// ```
    #[must_use]
    pub fn of_client(name: &str) -> Self {
        let name = name.to_lowercase().replace([' ', '_'], "-");
        let known = [
            ("claude-code", Self::ClaudeCode),
            ("codex", Self::Codex),
            ("opencode", Self::Opencode),
            ("gemini-cli", Self::GeminiCli),
            ("cline", Self::Cline),
            ("visual-studio-code", Self::Vscode),
            ("vscode", Self::Vscode),
        ];
        known.iter().find(|(start, _)| name.starts_with(start)).map_or(Self::Generic, |(_, profile)| *profile)
    }

    /// The most that the client takes without cutting, with a margin for what it counts otherwise than we do.
    #[must_use]
    pub fn budget(self) -> Budget {
        let none = Budget::default();
        match self {
            // 25,000 tokens and 50,000 characters.
            Self::ClaudeCode => Budget { tokens: Some(24_000), chars: Some(49_000), ..none },
            // About 10,000 bytes, cut in the middle, of the text as a JSON string: every quote and line end counts twice.
            Self::Codex => Budget { bytes: Some(8_000), ..none },
            // 2,000 lines or 50 KiB, whole lines.
            Self::Opencode => Budget { lines: Some(1_950), bytes: Some(50_000), ..none },
            // 40,000 characters.
            Self::GeminiCli => Budget { chars: Some(39_000), ..none },
            // 8,000 characters a string.
            Self::Cline => Budget { chars: Some(7_800), ..none },
            // 8 KB.
            Self::Vscode => Budget { bytes: Some(7_900), ..none },
            Self::Generic => Budget { tokens: Some(20_000), ..none },
        }
    }

    /// The name as the configuration has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Opencode => "opencode",
            Self::GeminiCli => "gemini-cli",
            Self::Cline => "cline",
            Self::Vscode => "vscode",
            Self::Generic => "generic",
        }
    }
}
