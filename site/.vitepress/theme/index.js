// Without its fonts: those of the system have Chinese characters as well.
import DefaultTheme from 'vitepress/theme-without-fonts'
import './style.css'

export default DefaultTheme
